//! The Vercel AI SDK with a scripted model.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateText, isStepCount, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { z } from 'zod';
import { governTools, type GovernToolsOptions } from 'tower-hooks/ai';
import { started } from './support.js';

const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };

/** A model that calls one tool, and then ends. */
function model(toolName: string, input: unknown) {
  const step = (content: unknown, unified: string) => ({ content, finishReason: { unified, raw: unified }, usage, warnings: [] });
  const call = { type: 'tool-call', toolCallId: 'c1', toolName, input: JSON.stringify(input) };
  return new MockLanguageModelV4({ doGenerate: [step([call], 'tool-calls'), step([{ type: 'text', text: 'done' }], 'stop')] as never });
}

let ran: string[] = [];
const tools = {
  bash: tool({
    inputSchema: z.object({ command: z.string() }),
    execute: async ({ command }) => {
      ran.push(command);
      return `output of ${command} for ada@example.com`;
    },
  }),
  watch: tool({
    inputSchema: z.object({}),
    execute: async function* () {
      yield 'bob@example.com';
      yield 'ada@example.com';
    },
  }),
  send_mail: tool({ inputSchema: z.object({}), execute: async () => 'sent' }),
};

/** What the model reads after its call. */
async function told(name: string, input: unknown, options?: GovernToolsOptions): Promise<string> {
  ran = [];
  const asked = model(name, input);
  await generateText({ model: asked, tools: governTools(await started(), tools, options), prompt: 'go', stopWhen: isStepCount(3) });
  return JSON.stringify(asked.doGenerateCalls[1]?.prompt.at(-1));
}

test('an allowed tool runs, and the model reads its scrubbed result', async () => {
  assert.match(await told('bash', { command: 'ls' }), /output of ls for \[EMAIL_REDACTED\]/);
  assert.deepEqual(ran, ['ls']);
});

test('a denied tool does not run, and the model reads why', async () => {
  assert.match(await told('bash', { command: 'git push --force' }), /git push --force.*blocked/);
  assert.deepEqual(ran, []);
});

test('only the last result of a tool that streams is given on, scrubbed', async () => {
  const text = await told('watch', {});
  assert.match(text, /\[EMAIL_REDACTED\]/);
  assert.doesNotMatch(text, /example\.com/);
});

test('a call that needs a person is denied without one', async () => {
  assert.match(await told('send_mail', {}), /leaves the machine/);
  assert.match(await told('send_mail', {}, { approve: () => true }), /sent/);
});

test('a tool that does not run here is refused', async () => {
  const hooks = await started();
  assert.throws(() => governTools(hooks, { search: tool({ inputSchema: z.object({}) }) as never }), /cannot be governed/);
});
