//! The process `hooks serve`: it is started once, kept, and started again at the next call if it ended.

import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { accessSync, constants, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { type Fields, isObject, line } from './json.js';

/** Version of the protocol that this client speaks. */
const PROTOCOL = 1;

/** Longest answer, in characters; a longer one is not an answer. */
const LONGEST_ANSWER = 256 << 20;

export interface ServerOptions {
  /** The program `hooks`. Without it: the variable `HOOKS_BIN`, then the absolute folders of `PATH`. */
  bin?: string;
  /** A file of rules, or the rules themselves. Without it: the file that governs `cwd`. */
  config?: string | Fields;
  /** Folder in which the server runs, and in which calls happen that name none. */
  cwd?: string;
  /** Time for one answer, the start of the server included; 10,000 by default. */
  timeoutMs?: number;
  /** Further arguments of `hooks serve`. */
  args?: readonly string[];
}

/** First line of the server. */
export interface Greeting {
  protocol: number;
  version: string;
  config: string;
  rules: string;
}

/** Reason for a call without an answer. */
export class NoAnswer extends Error {
  override name = 'NoAnswer';
}

interface Waiting {
  id: number | string;
  /** Whether it is still waited for. A late answer is read all the same, because answers have an order. */
  isAwaited: boolean;
  settle: (answer: Fields | NoAnswer) => void;
}

/** One process, from its start to its end. */
class Connection {
  readonly greeted: Promise<Greeting>;
  readonly ended: Promise<void>;
  /** Requests in the order in which they were sent, which is that of the answers. */
  readonly #waiting: Waiting[] = [];
  readonly #child: ChildProcess;
  #greet!: (greeting: Greeting | NoAnswer) => void;
  #buffered: string[] = [];
  #length = 0;
  #problem: NoAnswer | undefined;
  #hasGreeted = false;
  #isEnding = false;

  constructor(bin: string, args: readonly string[], cwd: string) {
    this.greeted = new Promise((done, failed) => {
      this.#greet = (greeting) => (greeting instanceof NoAnswer ? failed(greeting) : done(greeting));
    });
    // It may fail before anything waits for it.
    this.greeted.catch(() => {});
    this.#child = spawn(bin, args, { cwd, stdio: ['pipe', 'pipe', 'inherit'], windowsHide: true });
    const { stdin, stdout } = this.#child;
    // The server ends with its input, so it never outlives this process, and does not keep it alive either.
    this.#child.unref();
    (stdin as Socket | null)?.unref();
    // Errors of the pipe are followed by the end of the process, which is what counts.
    stdin?.on('error', () => {});
    stdout?.on('error', () => {});
    stdout?.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    this.ended = new Promise((done) => {
      this.#child.on('error', (error) => {
        this.#fail(`\`${bin}\` cannot be started: ${error.message}`);
        done();
      });
      this.#child.on('close', (code, signal) => {
        this.#fail(`\`hooks serve\` ended (${signal ?? `exit code ${code}`})`);
        done();
      });
    });
    this.#keepAlive();
  }

  get isOpen(): boolean {
    return this.#problem === undefined;
  }

  /** Sends a request. The answer, or the reason for none, settles it. Returns how to stop waiting for it. */
  send(id: number | string, text: string, settle: Waiting['settle']): () => void {
    const waiting: Waiting = { id, settle, isAwaited: true };
    if (this.#problem !== undefined) settle(this.#problem);
    else {
      this.#waiting.push(waiting);
      this.#keepAlive();
      this.#child.stdin?.write(text);
    }
    return () => {
      waiting.isAwaited = false;
      // Without its first line there is nothing to keep.
      if (!this.#hasGreeted) this.kill();
      this.#keepAlive();
    };
  }

  /** Ends the input, which ends the server after its last answer. */
  finish(): void {
    this.#isEnding = true;
    this.#child.ref();
    this.#keepAlive();
    this.#child.stdin?.end();
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Keeps this process alive while it waits for an answer or the end, and only then. */
  #keepAlive(): void {
    const stdout = this.#child.stdout as Socket | null;
    const isWaiting = this.#isEnding || this.#waiting.some(({ isAwaited }) => isAwaited) || (!this.#hasGreeted && this.#problem === undefined);
    if (isWaiting) stdout?.ref();
    else stdout?.unref();
  }

  #read(text: string): void {
    const lines = text.split('\n');
    for (const [at, part] of lines.entries()) {
      this.#buffered.push(part);
      this.#length += part.length;
      if (this.#length > LONGEST_ANSWER) return this.#break('its answer is too long');
      if (at === lines.length - 1) break;
      const whole = this.#buffered.join('');
      this.#buffered = [];
      this.#length = 0;
      if (this.#problem === undefined) this.#take(whole);
    }
  }

  #take(text: string): void {
    let answer: unknown;
    try {
      answer = JSON.parse(text);
    } catch {
      return this.#break('it wrote a line that is not JSON');
    }
    if (!isObject(answer)) return this.#break('it wrote a line that is not an answer');
    if (!this.#hasGreeted) return this.#takeGreeting(answer);
    const waiting = this.#waiting[0];
    // An error about a line that it cannot read has no id; the order says which line that is.
    const isMeant = waiting !== undefined && (answer.id === waiting.id || (answer.id === undefined && isObject(answer.error)));
    const isEnd = waiting?.id === 'end' && answer.serve === 'end' && answer.id === undefined;
    if (!isMeant && !isEnd) return this.#break('it answered what was not asked');
    this.#waiting.shift();
    this.#keepAlive();
    waiting?.settle(answer);
  }

  #takeGreeting(answer: Fields): void {
    const greeting = answer.hooks;
    if (!isObject(greeting)) return this.#break('its first line is not its greeting');
    if (greeting.protocol !== PROTOCOL) {
      return this.#break(`it speaks protocol ${JSON.stringify(greeting.protocol)}, and this package ${PROTOCOL}`);
    }
    this.#hasGreeted = true;
    this.#keepAlive();
    this.#greet(greeting as unknown as Greeting);
  }

  /** Ends a server that broke the protocol: nothing that it writes from now on can be trusted. */
  #break(what: string): void {
    this.#fail(`\`hooks serve\` broke the protocol: ${what}`);
    this.kill();
  }

  #fail(message: string): void {
    if (this.#problem !== undefined) return;
    this.#problem = new NoAnswer(message);
    this.#greet(this.#problem);
    for (const waiting of this.#waiting.splice(0)) waiting.settle(this.#problem);
    this.#keepAlive();
  }
}

/** Asks a server, and starts it where there is none. */
export class Server {
  readonly #bin: string;
  readonly #options: ServerOptions;
  readonly cwd: string;
  readonly timeoutMs: number;
  #connection: Connection | undefined;
  #next = 1;
  #isClosed = false;

  constructor(options: ServerOptions) {
    this.#options = options;
    // Found once: nothing that is put into `PATH` later becomes the server.
    this.#bin = findProgram(options.bin);
    this.cwd = resolve(options.cwd ?? process.cwd());
    this.timeoutMs = options.timeoutMs ?? 10_000;
    if (!(this.timeoutMs > 0)) throw new RangeError(`\`timeoutMs\` is ${options.timeoutMs}; use a number above 0`);
  }

  /** Starts the server if there is none, and returns its greeting; throws {@link NoAnswer}. */
  async start(): Promise<Greeting> {
    return within(this.timeoutMs, this.#open().greeted, () => this.#connection?.kill());
  }

  /** Sends an event, without its id; throws {@link NoAnswer}. */
  async ask(event: Fields): Promise<Fields> {
    const id = this.#next++;
    const text = line({ id, ...event });
    const connection = this.#open();
    let forget = () => connection.kill();
    const asked = new Promise<Fields>((done, failed) => {
      forget = connection.send(id, text, (answer) => (answer instanceof NoAnswer ? failed(answer) : done(answer)));
    });
    // The server stays after a late answer: under `squad-compat`, a fresh one has lost its counts.
    return within(this.timeoutMs, asked, () => forget());
  }

  /** Ends the server after its last answer; it is killed if it does not end in time. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = this.#connection;
    if (connection === undefined || !connection.isOpen) return;
    connection.send('end', line({ serve: 'end' }), () => {});
    connection.finish();
    await within(this.timeoutMs, connection.ended).catch(() => {
      connection.kill();
      return connection.ended;
    });
  }

  #open(): Connection {
    if (this.#isClosed) throw new NoAnswer('these hooks are closed');
    if (this.#connection === undefined || !this.#connection.isOpen) this.#connection = this.#spawn();
    return this.#connection;
  }

  #spawn(): Connection {
    const { config, args = [] } = this.#options;
    const rest = ['serve', ...args];
    if (!isObject(config)) {
      const named = config === undefined ? [] : ['--config', resolve(this.cwd, config)];
      return new Connection(this.#bin, [...rest, ...named], this.cwd);
    }
    return new Connection(this.#bin, [...rest, '--no-reload', '--config', writeRules(config, this.cwd)], this.cwd);
  }
}

/**
 * Writes rules that are given as an object to the user's state of `hooks`, which agents may not change. The same rules
 * for the same folder have the same file, so they keep their counts. It is written anew for each start.
 */
function writeRules(config: Fields, cwd: string): string {
  const text = JSON.stringify(config);
  const { XDG_STATE_HOME: home } = process.env;
  const state = home && isAbsolute(home) ? home : join(homedir(), '.local', 'state');
  const digest = createHash('sha256').update(JSON.stringify([text, cwd])).digest('hex').slice(0, 32);
  const folder = join(state, 'hooks', 'inline', digest);
  const [file, fresh] = [join(folder, 'hooks.json'), join(folder, `${randomUUID()}.new`)];
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(fresh, text, { mode: 0o600 });
    renameSync(fresh, file);
  } catch (error) {
    throw new NoAnswer(`the rules cannot be written: ${(error as Error).message}`);
  }
  return file;
}

/** The absolute path of the program. */
function findProgram(named: string | undefined): string {
  const wanted = named || process.env.HOOKS_BIN;
  if (wanted) return resolve(wanted);
  const names = process.platform === 'win32' ? ['hooks.exe'] : ['hooks'];
  for (const folder of (process.env.PATH ?? '').split(delimiter).filter(isAbsolute)) {
    for (const name of names) {
      const file = join(folder, name);
      try {
        accessSync(file, constants.X_OK);
        if (statSync(file).isFile()) return file;
      } catch {
        // The next folder.
      }
    }
  }
  throw new NoAnswer('the program `hooks` is not in `PATH`; install it, or name it with `bin` or `HOOKS_BIN`');
}

/** A result in time. */
async function within<T>(timeoutMs: number, result: Promise<T>, late?: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const ending = new Promise<never>((_, failed) => {
    timer = setTimeout(() => {
      late?.();
      failed(new NoAnswer(`\`hooks serve\` gave no answer within ${timeoutMs} ms`));
    }, timeoutMs);
  });
  try {
    return await Promise.race([result, ending]);
  } finally {
    clearTimeout(timer);
  }
}
