//! The published SDK and this package, side by side.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as theirs from '@bradygaster/squad-sdk/hooks';
import * as ours from 'tower-hooks/squad';
import { Hooks } from 'tower-hooks';
import { impostor, started } from './support.js';

type Json = any;

const VECTORS = process.env.SQUAD_VECTORS ?? new URL('../../../../proofs/conformance/squad/vectors.jsonl', import.meta.url);

/** What a step answered: `error` stands for any failure. */
type Answer = Json;

function customHook(hook: Json, seen: Json[]): Json {
  const { does, when = {} } = hook;
  const isMeant = (ctx: Json) =>
    (when.tool ?? ctx.toolName) === ctx.toolName &&
    (when.agent ?? ctx.agentName) === ctx.agentName &&
    Object.entries(when.arg ?? {}).every(([name, value]) => ctx.arguments[name] === value);
  const before = (ctx: Json) => {
    seen.push([hook.name, structuredClone(ctx.arguments)]);
    if (!isMeant(ctx)) return { action: 'allow' };
    if (does.type === 'return') return structuredClone(does.value);
    if (does.type === 'throw') throw new Error(does.message);
    if (does.type === 'mutate_in_place') Object.assign(ctx.arguments, does.set);
    return { action: 'allow' };
  };
  const after = ({ result }: Json) => {
    seen.push([hook.name, result]);
    switch (does.type) {
      case 'throw': throw new Error(does.message);
      case 'replace': return { result: does.value };
      case 'append': return { result: String(result) + does.text };
      case 'wrap': return { result: { [does.key]: result } };
      case 'omit_result': return {};
      default: return { result };
    }
  };
  const run = hook.phase === 'pre' ? before : after;
  return hook.async ? async (ctx: Json) => (await Promise.resolve(), run(ctx)) : run;
}

async function answers(sdk: Json, vector: Json): Promise<{ steps: Answer[]; seen: Json[] }> {
  const seen: Json[] = [];
  const pipeline = vector.policy === undefined ? new sdk.HookPipeline() : new sdk.HookPipeline(structuredClone(vector.policy));
  for (const hook of vector.custom_hooks ?? []) {
    if (hook.phase === 'pre') pipeline.addPreToolHook(customHook(hook, seen));
    else pipeline.addPostToolHook(customHook(hook, seen));
  }
  const locks = pipeline.getReviewerLockout();
  const run: Record<string, (step: Json, call: Json) => unknown> = {
    pre: (_, call) => pipeline.runPreToolHooks(call),
    post: (_, call) => pipeline.runPostToolHooks(call),
    lock: ({ artifact, agent }) => locks.lockout(artifact, agent),
    clear: ({ artifact }) => locks.clearLockout(artifact),
    clear_all: () => locks.clearAll(),
    is_locked: ({ artifact, agent }) => locks.isLockedOut(artifact, agent),
    list: ({ artifact }) => locks.getLockedAgents(artifact),
  };
  const steps: Answer[] = [];
  for (const step of vector.steps) {
    try {
      steps.push(await run[step.op]!(step, structuredClone(step.call)));
    } catch {
      steps.push('error');
    }
  }
  await pipeline.close?.();
  return { steps, seen };
}

test('one import changes: the same answers as the published pipeline, or a block', async (t) => {
  t.mock.method(console, 'warn', () => {});
  const vectors: Json[] = readFileSync(VECTORS, 'utf8').trim().split('\n').map((text) => JSON.parse(text));
  const suites = new Map<string, { same: number; all: number }>();
  for (const vector of vectors.filter(({ kind }) => kind === 'pipeline' || kind === 'lockout')) {
    const [wanted, got] = [await answers(theirs, vector), await answers(ours, vector)];
    const suite = suites.get(vector.area) ?? { same: 0, all: 0 };
    suites.set(vector.area, suite);
    suite.all++;
    const different = wanted.steps.flatMap((step, n) => (JSON.stringify(step) === JSON.stringify(got.steps[n]) ? [] : [n]));
    if (different.length === 0 && JSON.stringify(wanted.seen) === JSON.stringify(got.seen)) suite.same++;
    // The guard of our own files is not Squad's, and a pattern that fails there blocks here.
    for (const n of different) assert.equal(got.steps[n].action, 'block', `${vector.id}, step ${n}`);
  }
  for (const [area, { same, all }] of suites) t.diagnostic(`${area}: ${same} of ${all} the same`);
  const sum = (of: 'same' | 'all') => [...suites.values()].reduce((total, suite) => total + suite[of], 0);
  assert.ok(sum('all') >= 142 && sum('same') >= 134, `${sum('same')} of ${sum('all')} are the same`);
});

test('the same names are exported', () => {
  const names = ['HookPipeline', 'ReviewerLockoutHook', 'DEFAULT_BLOCKED_COMMANDS'] as const;
  for (const name of names) assert.equal(typeof ours[name], typeof theirs[name]);
  assert.deepEqual(ours.DEFAULT_BLOCKED_COMMANDS, theirs.DEFAULT_BLOCKED_COMMANDS);
  // Each type fits in place of the SDK's.
  const hook: theirs.PreToolUseHook = new ours.ReviewerLockoutHook().createHook();
  const policy: ours.PolicyConfig = { scrubPii: true } satisfies theirs.PolicyConfig;
  assert.equal(typeof hook, 'function');
  assert.ok(policy.scrubPii);
});

test('a pipeline without its server blocks', async () => {
  const pipeline = new ours.HookPipeline({ scrubPii: true }, { bin: impostor('process.exit(1)') });
  const call = { toolName: 'view', arguments: {}, agentName: 'a', sessionId: 's' };
  assert.equal((await pipeline.runPreToolHooks(call)).action, 'block');
  assert.match(String((await pipeline.runPostToolHooks({ ...call, result: 'secret' })).result), /could not be asked/);
});

const at = { timestamp: 1, cwd: '/' };
const session = { sessionId: 's' };

test('hooks of a session answer in the words of the SDK', async () => {
  const hooks = ours.asSessionHooks(await started(), 'backend');
  const denied = await hooks.onPreToolUse({ ...at, toolName: 'bash', toolArgs: { command: 'git push --force' } }, session);
  assert.equal(denied?.permissionDecision, 'deny');
  assert.match(denied?.permissionDecisionReason ?? '', /git push --force/);
  assert.equal((await hooks.onPreToolUse({ ...at, toolName: 'send_mail', toolArgs: {} }, session))?.permissionDecision, 'ask');
  assert.equal(await hooks.onPreToolUse({ ...at, toolName: 'bash', toolArgs: { command: 'ls' } }, session), undefined);
  const result = { textResultForLlm: 'from ada@example.com', resultType: 'success' as const, sessionLog: 'x' };
  const ended = await hooks.onPostToolUse({ ...at, toolName: 'bash', toolArgs: {}, toolResult: result }, session);
  assert.deepEqual(ended?.modifiedResult, { ...result, textResultForLlm: 'from [EMAIL_REDACTED]' });
  assert.equal(await hooks.onSessionStart({ ...at, source: 'new' }, session), undefined);
  assert.equal(await hooks.onUserPromptSubmitted({ ...at, prompt: 'hello' }, session), undefined);
  assert.equal(await hooks.onErrorOccurred({ ...at, error: 'x', errorContext: 'system', recoverable: false }, session), undefined);
  assert.equal(await hooks.onSessionEnd({ ...at, reason: 'complete' }, session), undefined);
});

test('hooks of a session close without their server', async () => {
  const hooks = ours.asSessionHooks(new Hooks({ bin: impostor('process.exit(1)') }));
  assert.equal((await hooks.onPreToolUse({ ...at, toolName: 'view', toolArgs: {} }, session))?.permissionDecision, 'deny');
  const toolResult = { textResultForLlm: 'secret', resultType: 'success' as const };
  const ended = await hooks.onPostToolUse({ ...at, toolName: 'view', toolArgs: {}, toolResult }, session);
  assert.equal(ended?.modifiedResult?.resultType, 'denied');
  assert.doesNotMatch(ended?.modifiedResult?.textResultForLlm ?? '', /secret/);
  assert.match((await hooks.onUserPromptSubmitted({ ...at, prompt: 'secret' }, session))?.modifiedPrompt ?? '', /denied/);
});

test('a governed tool of a session gives results in the words of the SDK', async () => {
  const tool = { name: 'bash', handler: (args: { command: string }) => ({ textResultForLlm: `ran ${args.command}`, resultType: 'success' }) };
  const governed = ours.governSessionTool(await started(), tool);
  const invocation = { sessionId: 's', toolCallId: 'c', toolName: 'bash', arguments: {} };
  const run = governed.handler as (args: { command: string }, invocation: Json) => Json;
  assert.deepEqual(await run({ command: 'ls' }, invocation), { textResultForLlm: 'ran ls', resultType: 'success' });
  const denied = await run({ command: 'git push --force' }, invocation);
  assert.equal(denied.resultType, 'denied');
  assert.match(denied.textResultForLlm, /git push --force/);
});
