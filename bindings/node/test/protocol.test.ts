//! Servers that break the protocol. Nothing of what they write may allow a call.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hooks } from 'tower-hooks';
import { impostor } from './support.js';

const call = { toolName: 'bash', toolArgs: { command: 'ls' } };
const ALLOW = `({ id, event }) => JSON.stringify({ id, event, decision: 'allow' })`;

/** Each body answers, and the call has to be denied with a message like this. */
const BROKEN: [string, string, RegExp][] = [
  ['ends at once', 'process.exit(3)', /exit code 3/],
  ['writes no JSON first', `say('hello'); for await (const l of lines());`, /not JSON/],
  ['has no greeting', `say('{}'); for await (const l of lines());`, /greeting/],
  ['speaks another protocol', `say(JSON.stringify({hooks:{protocol:2}})); for await (const l of lines()) say((${ALLOW})(l));`, /speaks protocol 2/],
  ['writes garbage', `say(GREETING); for await (const l of lines()) say('{"id":' + l.id + ',"decision":"allow"');`, /not JSON/],
  ['answers a list', `say(GREETING); for await (const l of lines()) say('[' + (${ALLOW})(l) + ']');`, /not an answer/],
  ['answers another id', `say(GREETING); for await (const l of lines()) say((${ALLOW})({ ...l, id: l.id + 1 }));`, /not asked/],
  ['answers without an id', `say(GREETING); for await (const l of lines()) say((${ALLOW})({ ...l, id: undefined }));`, /not asked/],
  ['answers a text as id', `say(GREETING); for await (const l of lines()) say((${ALLOW})({ ...l, id: String(l.id) }));`, /not asked/],
  ['answers another event', `say(GREETING); for await (const l of lines()) say((${ALLOW})({ ...l, event: 'stop' }));`, /another event/],
  ['answers with an error and a decision', `say(GREETING); for await (const l of lines()) say(JSON.stringify({ id: l.id, event: l.event, decision: 'allow', error: { message: 'no rules' } }));`, /no rules/],
  ['has an unknown decision', `say(GREETING); for await (const l of lines()) say(JSON.stringify({ id: l.id, event: l.event, decision: 'Allow' }));`, /no decision/],
  ['has no decision', `say(GREETING); for await (const l of lines()) say(JSON.stringify({ id: l.id, event: l.event }));`, /no decision/],
  ['changes the event to a text', `say(GREETING); for await (const l of lines()) say(JSON.stringify({ id: l.id, event: l.event, decision: 'allow', effective: 'x' }));`, /no event/],
  ['ends in the middle of an answer', `say(GREETING); for await (const l of lines()) { process.stdout.write((${ALLOW})(l), () => process.exit(0)); }`, /ended/],
  ['closes its output', `say(GREETING); for await (const l of lines()) { process.stdout.end(); }`, /no answer|ended/],
  ['answers late', `say(GREETING); for await (const l of lines()) setTimeout(() => say((${ALLOW})(l)), 2000);`, /within 700 ms/],
  ['never greets', `for await (const l of lines());`, /within 700 ms/],
];

for (const [name, body, message] of BROKEN) {
  test(`a server that ${name} allows nothing`, async () => {
    const hooks = new Hooks({ bin: impostor(body), timeoutMs: 700 });
    const outcome = await hooks.preToolUse(call);
    assert.equal(outcome.decision, 'deny');
    assert.match(outcome.message ?? '', message);
    assert.equal((await hooks.postToolUse({ ...call, toolResult: 1 })).decision, 'deny');
    await hooks.close();
  });
}

test('a late answer is not taken for the next one', async () => {
  // The first answer comes with the second, and allows; the second denies.
  const body = `say(GREETING); let first; for await (const l of lines()) {
    if (l.serve) process.exit(0);
    if (first) { say((${ALLOW})(first)); say(JSON.stringify({ id: l.id, event: l.event, decision: 'deny', message: 'second' })); }
    first ??= l;
  }`;
  const hooks = new Hooks({ bin: impostor(body), timeoutMs: 700 });
  assert.match((await hooks.preToolUse(call)).message ?? '', /within/);
  assert.equal((await hooks.preToolUse(call)).message, 'second');
  await hooks.close();
});

test('a server that does not end is killed at the close', async () => {
  const hooks = new Hooks({ bin: impostor(`say(GREETING); for await (const l of lines()); setInterval(() => {}, 1000);`), timeoutMs: 700 });
  await hooks.greeting();
  await hooks.close();
});
