//! An agent of LangChain.js with a scripted model.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAgent, fakeModel, tool, ToolMessage, AIMessage } from 'langchain';
import { z } from 'zod';
import { hooksMiddleware, type MiddlewareOptions } from 'tower-hooks/langchain';
import { started } from './support.js';

let ran: string[] = [];
const tools = [
  tool(
    ({ command }) => {
      ran.push(command);
      if (command === 'false') throw new Error('failed for ada@example.com');
      return `output of ${command} for ada@example.com`;
    },
    { name: 'bash', description: 'runs a command', schema: z.object({ command: z.string() }) },
  ),
  tool(() => 'sent', { name: 'send_mail', description: 'sends a mail', schema: z.object({}) }),
];

/** The message that the model reads after its call. */
async function told(name: string, args: Record<string, unknown>, options?: MiddlewareOptions): Promise<ToolMessage> {
  ran = [];
  const model = fakeModel().respondWithTools([{ name, args, id: 'c1' }]).respond(new AIMessage('done'));
  const agent = createAgent({ model, tools, middleware: [hooksMiddleware(await started(), options)] });
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'go' }] });
  const found = messages.find((message) => ToolMessage.isInstance(message));
  assert.ok(found && ToolMessage.isInstance(found));
  assert.equal(found.tool_call_id, 'c1');
  return found;
}

test('an allowed tool runs, and the model reads its scrubbed result', async () => {
  assert.equal((await told('bash', { command: 'ls' })).text, 'output of ls for [EMAIL_REDACTED]');
  assert.deepEqual(ran, ['ls']);
});

test('a denied tool does not run, and the model reads why', async () => {
  const message = await told('bash', { command: 'git push --force' });
  assert.equal(message.status, 'error');
  assert.match(message.text, /git push --force.*blocked/);
  assert.deepEqual(ran, []);
});

test('the error of a tool is scrubbed', async () => {
  const text = await told('bash', { command: 'false' }).then((message) => message.text, (error: Error) => error.message);
  assert.match(text, /failed for \[EMAIL_REDACTED\]/);
});

test('a call that needs a person is denied without one', async () => {
  assert.match((await told('send_mail', {})).text, /leaves the machine/);
  assert.equal((await told('send_mail', {}, { approve: () => true })).text, 'sent');
});
