import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { Hooks, type HooksOptions } from 'tower-hooks';

export const RULES = {
  version: 1,
  command_guard: {},
  write_guard: { allow: ['src/**'] },
  redaction: {},
  rules: [
    { name: 'send', tools: ['send_mail'], action: 'ask', reason: 'this leaves the machine' },
  ],
};

/** A folder that is removed at the end. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'tower-hooks-test-'));
  after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

// Nothing of the tests stays in the user's state.
process.env.XDG_STATE_HOME = folder();

/** Hooks that end with the tests. */
export async function started(options: HooksOptions = {}): Promise<Hooks> {
  const hooks = await Hooks.start({ config: RULES, cwd: folder(), ...options });
  after(() => hooks.close());
  return hooks;
}

export const GREETING = JSON.stringify({ hooks: { protocol: 1, version: '0.1.0', config: '', rules: '0' } });

/** A program in place of `hooks` that breaks the protocol: `body` may use `say`, `lines` and `GREETING`. */
export function impostor(body: string): string {
  const file = join(folder(), 'hooks');
  const source = `#!${process.execPath}
const GREETING = ${JSON.stringify(GREETING)};
const say = (text) => process.stdout.write(text + '\\n');
const lines = async function* () {
  let rest = '';
  for await (const part of process.stdin) {
    const found = (rest + part).split('\\n');
    rest = found.pop();
    for (const line of found) yield JSON.parse(line);
  }
};
(async () => { ${body} })();
`;
  writeFileSync(file, source, { mode: 0o700 });
  return file;
}

/** Processes that a process started. */
export function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

/** Waits until a process is gone; the test's own time limit ends it otherwise. */
export async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await new Promise((done) => setImmediate(done));
  }
}
