//! The client, with the program `hooks` itself.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Hooks, NoAnswer, ToolDenied } from 'tower-hooks';
import { childrenOf, folder, gone, RULES, started } from './support.js';

const bash = (command: string) => ({ toolName: 'bash', toolArgs: { command } });

test('the rules decide', async () => {
  const hooks = await started();
  const denied = await hooks.preToolUse(bash('rm -rf build'));
  assert.equal(denied.decision, 'deny');
  assert.match(denied.message ?? '', /blocked as `rm -rf`/);
  assert.equal(denied.reasons[0]?.policy, 'command-guard');
  assert.equal((await hooks.preToolUse(bash('ls'))).allowed, true);
  assert.equal((await hooks.preToolUse({ toolName: 'write_file', toolArgs: { path: 'docs/a' } })).decision, 'deny');
  assert.equal((await hooks.preToolUse({ toolName: 'send_mail', toolArgs: {} })).decision, 'ask');
});

test('results are scrubbed', async () => {
  const hooks = await started();
  const end = await hooks.postToolUse({ ...bash('cat a'), toolResult: { from: ['ada@example.com'] } });
  assert.deepEqual(end.effective?.tool_result, { from: ['[EMAIL_REDACTED]'] });
});

test('a governed tool runs only if it may, and its result and error are scrubbed', async () => {
  const hooks = await started();
  let runs = 0;
  const run = (command: string) => hooks.govern(bash(command), ({ command }) => (runs++, `${command} ada@example.com`));
  assert.equal(await run('ls'), 'ls [EMAIL_REDACTED]');
  await assert.rejects(run('git push --force'), ToolDenied);
  assert.equal(runs, 1);
  const failing = hooks.govern(bash('ls'), () => Promise.reject(new Error('no such user ada@example.com')));
  await assert.rejects(failing, { message: 'no such user [EMAIL_REDACTED]' });
  const bytes = new Uint8Array(3);
  assert.equal(await hooks.govern(bash('ls'), () => bytes), bytes);
});

test('a call that needs a person is denied without one', async () => {
  const hooks = await started();
  const call = { toolName: 'send_mail', toolArgs: {} };
  await assert.rejects(hooks.govern(call, () => 'sent'), ToolDenied);
  assert.equal(await hooks.govern(call, () => 'sent', { approve: (_, message) => message.includes('leaves the machine') }), 'sent');
  await assert.rejects(hooks.govern(call, () => 'sent', { approve: () => false }), ToolDenied);
});

test('calls at the same time get their own answers', async () => {
  const hooks = await started();
  const outcomes = await Promise.all(Array.from({ length: 500 }, (_, n) => hooks.preToolUse(bash(n % 2 ? 'git push --force' : `echo ${n}`))));
  for (const [n, outcome] of outcomes.entries()) assert.equal(outcome.allowed, n % 2 === 0, `call ${n}`);
});

test('what cannot be encoded is denied', async () => {
  const hooks = await started();
  const loop: Record<string, unknown> = {};
  loop.loop = loop;
  let deep: unknown = 1;
  for (let n = 0; n < 200; n++) deep = [deep];
  const args = ['\ud800', { '\udc00': 1 }, Number.NaN, 1n, new Map([['command', 'rm -rf /']]), () => {}, loop, deep, { toJSON: () => ({}) }];
  for (const toolArgs of args) {
    const outcome = await hooks.preToolUse({ toolName: 'bash', toolArgs });
    assert.equal(outcome.decision, 'deny');
    assert.match(outcome.message ?? '', /not JSON/);
  }
  assert.equal((await hooks.postToolUse({ ...bash('ls'), toolResult: loop })).decision, 'deny');
  const cut = await hooks.postToolUse({ ...bash('ls'), toolResult: 'ada@example.com \ud83d' });
  assert.equal(cut.effective?.tool_result, '[EMAIL_REDACTED] \ufffd');
});

test('every character arrives', async () => {
  const hooks = await started();
  const name = 'docs/é\u2028\n"\\\u0000😀.md';
  const outcome = await hooks.preToolUse({ toolName: 'write_file', toolArgs: { path: name } });
  assert.equal(outcome.decision, 'deny');
  assert.equal((await hooks.preToolUse({ toolName: 'write_file', toolArgs: { path: 'src/é😀.md' } })).allowed, true);
});

test('large arguments are judged, and too large ones denied', async () => {
  const hooks = await started({ timeoutMs: 60_000 });
  const filled = (size: number) => hooks.preToolUse({ toolName: 'write_file', toolArgs: { path: 'src/a', content: 'x'.repeat(size) } });
  assert.equal((await filled(4 << 20)).allowed, true);
  assert.match((await filled(33 << 20)).message ?? '', /longer than 32 MiB/);
  assert.equal((await filled(1)).allowed, true);
});

test('a killed server denies its calls, and the next call starts another', async () => {
  const hooks = await started();
  for (let round = 0; round < 3; round++) {
    const [server] = childrenOf(process.pid).slice(-1);
    const calls = Array.from({ length: 200 }, () => hooks.preToolUse(bash('git push --force')));
    const harmless = Array.from({ length: 200 }, () => hooks.preToolUse(bash('ls')));
    process.kill(server!, 'SIGKILL');
    for (const outcome of await Promise.all(calls)) assert.equal(outcome.decision, 'deny');
    // Each got its answer before the kill, or was denied because of it.
    for (const outcome of await Promise.all(harmless)) assert.ok(outcome.allowed || /SIGKILL/.test(outcome.message ?? ''));
    assert.equal((await hooks.preToolUse(bash('ls'))).allowed, true);
    assert.equal((await hooks.preToolUse(bash('git push --force'))).decision, 'deny');
  }
});

test('counts outlive a killed server', async () => {
  const hooks = await started({ config: { version: 1, ask_user: { max_per_session: 1 } } });
  const ask = () => hooks.preToolUse({ toolName: 'ask_user', toolArgs: {} });
  assert.equal((await ask()).allowed, true);
  process.kill(childrenOf(process.pid).at(-1)!, 'SIGKILL');
  // The first call after the kill may still find the server.
  assert.equal((await ask()).allowed, false);
  assert.match((await ask()).message ?? '', /1 of 1/);
});

test('rules that cannot be read end the start, and deny later', async () => {
  await assert.rejects(Hooks.start({ config: { version: 1, nonsense: true } }), NoAnswer);
  const hooks = new Hooks({ config: join(folder(), 'missing.yaml') });
  assert.equal((await hooks.preToolUse(bash('ls'))).decision, 'deny');
  await hooks.close();
});

test('a missing program ends the start, and denies later', async () => {
  const bin = join(folder(), 'hooks');
  await assert.rejects(Hooks.start({ bin, config: RULES }), /cannot be started/);
  const hooks = new Hooks({ bin, config: RULES });
  assert.match((await hooks.preToolUse(bash('ls'))).message ?? '', /cannot be started/);
  assert.match((await hooks.inform('session_start')).error ?? '', /cannot be started/);
});

test('changed rules of a file take effect', async () => {
  const cwd = folder();
  const file = join(cwd, 'hooks.yaml');
  writeFileSync(file, 'version: 1\nreload: { every: 10ms }\ncommand_guard: { block: [] }\n');
  const hooks = await started({ config: file, cwd });
  assert.equal((await hooks.preToolUse(bash('git push --force'))).allowed, true);
  writeFileSync(file, 'version: 1\nreload: { every: 10ms }\ncommand_guard: {}\n');
  while ((await hooks.preToolUse(bash('git push --force'))).allowed);
});

test('closed hooks have answered what was asked, and deny the rest', async () => {
  const hooks = await Hooks.start({ config: RULES, cwd: folder() });
  const asked = Array.from({ length: 50 }, () => hooks.preToolUse(bash('ls')));
  await hooks.close();
  for (const outcome of await Promise.all(asked)) assert.equal(outcome.allowed, true);
  assert.match((await hooks.preToolUse(bash('ls'))).message ?? '', /closed/);
  await hooks.close();
});

test('a process that does not close its hooks ends, and its server with it', async () => {
  const script = `
    import { readFileSync } from 'node:fs';
    import { Hooks } from ${JSON.stringify(import.meta.resolve('tower-hooks'))};
    const hooks = await Hooks.start({ config: { version: 1, command_guard: {} } });
    await hooks.preToolUse({ toolName: 'bash', toolArgs: { command: 'ls' } });
    console.log(readFileSync(\`/proc/\${process.pid}/task/\${process.pid}/children\`, 'utf8').trim());`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  assert.match(stdout, /^\d+\s*$/);
  await gone(Number(stdout));
});
