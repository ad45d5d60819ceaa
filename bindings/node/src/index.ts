//! Decisions about the tool calls of agents, from the program `hooks`.

import { randomUUID } from 'node:crypto';
import { type Fields, isObject, notJson, resultAsJson } from './json.js';
import { type Greeting, NoAnswer, Server, type ServerOptions } from './server.js';

export { NoAnswer, type Greeting };

/** Answer of the rules. The client goes ahead after `allow` and `no_opinion`. */
export type Decision = 'allow' | 'no_opinion' | 'ask' | 'deny';

/** Place of an event. What is left out is that of {@link HooksOptions}. */
export interface Place {
  sessionId?: string;
  agentName?: string;
  /** Working folder of the agent, absolute. */
  cwd?: string;
  /** Root of the team, from which globs start, absolute. */
  teamRoot?: string;
}

export interface HooksOptions extends ServerOptions, Place {}

export interface ToolCall extends Place {
  toolName: string;
  toolArgs: unknown;
  /** Id of the call, if the host has one. */
  toolUseId?: string;
}

export interface ToolEnd extends ToolCall {
  toolResult?: unknown;
  /** Message of the error, if the tool failed. */
  error?: string;
  durationMs?: number;
}

/** Outcome of an event that rules decide. */
export interface Outcome {
  decision: Decision;
  /** Whether the host may go ahead: the decision is `allow` or `no_opinion`. */
  allowed: boolean;
  /** Text for the agent, if the decision is `deny` or `ask`. */
  message?: string;
  /** Rules that decided, as in `hooks eval`. */
  reasons: Fields[];
  /** The event after rewrites and scrubbing, if there were any; use it in place of what you sent. */
  effective?: Fields;
  /** Texts for the agent's context. */
  additionalContext: string[];
  /** Whole answer of the server; empty without one. */
  answer: Fields;
}

/** Outcome of an event that only informs. */
export interface Informed {
  additionalContext: string[];
  /** Reason if there was no valid answer. */
  error?: string;
  answer: Fields;
}

/** Decides about a call that the rules ask a person about. */
export type Approve = (call: ToolCall, message: string) => boolean | Promise<boolean>;

export interface GovernOptions {
  /** Without it, a call that needs a person is denied. */
  approve?: Approve;
}

/** A call that was not made, or whose result may not be seen. The message is for the agent. */
export class ToolDenied extends Error {
  override name = 'ToolDenied';
  constructor(
    message: string,
    readonly outcome: Outcome,
  ) {
    super(message);
  }
}

const DECISIONS: ReadonlySet<unknown> = new Set<Decision>(['allow', 'no_opinion', 'ask', 'deny']);

export class Hooks {
  readonly #server: Server;
  readonly #place: Required<Pick<Place, 'sessionId' | 'agentName'>> & Place;

  constructor(options: HooksOptions = {}) {
    const { sessionId = randomUUID(), agentName = 'agent', teamRoot } = options;
    this.#server = new Server(options);
    this.#place = { sessionId, agentName, teamRoot, cwd: this.#server.cwd };
  }

  /** Starts the server; throws {@link NoAnswer} if it cannot be started, or refuses its rules. */
  static async start(options: HooksOptions = {}): Promise<Hooks> {
    const hooks = new Hooks(options);
    await hooks.greeting();
    return hooks;
  }

  /** What the server said of itself. */
  greeting(): Promise<Greeting> {
    return this.#server.start();
  }

  /** Asks before a tool call. Never throws: what gets no valid answer is denied. */
  preToolUse(call: ToolCall): Promise<Outcome> {
    const problem = notJson(call.toolArgs);
    if (problem !== undefined) return Promise.resolve(denied(`the arguments of the call are not JSON: ${problem}`));
    return this.decide('pre_tool_use', ofCall(call), call);
  }

  /** Asks about the result of a call. If it is denied, `message` takes the place of the result. Never throws. */
  async postToolUse(end: ToolEnd): Promise<Outcome> {
    let result: unknown;
    try {
      result = resultAsJson(end.toolResult);
    } catch (error) {
      return denied(`the result of the call is not JSON: ${messageOf(error)}`);
    }
    const fields = { tool_result: result, error: end.error?.toWellFormed() ?? null, duration_ms: Math.max(0, Math.round(end.durationMs ?? 0)) };
    return this.decide('post_tool_use', { ...ofCall(end), ...fields }, end);
  }

  /** Asks about any event that rules decide, with its fields as in `hooks schema EVENT`. Never throws. */
  async decide(event: string, fields: Fields, place: Place = {}): Promise<Outcome> {
    try {
      const answer = await this.#ask(event, fields, place);
      if (!DECISIONS.has(answer.decision)) return denied(`\`hooks serve\` gave no decision about \`${event}\``);
      const decision = answer.decision as Decision;
      const allowed = decision === 'allow' || decision === 'no_opinion';
      const message = allowed ? undefined : textOf(answer.message) ?? `denied by the rules (${decision})`;
      if (answer.effective !== undefined && !isObject(answer.effective)) return denied(`\`hooks serve\` changed \`${event}\` to what is no event`);
      const reasons = Array.isArray(answer.reasons) ? answer.reasons.filter(isObject) : [];
      return { decision, allowed, message, reasons, effective: answer.effective, additionalContext: contextOf(answer), answer };
    } catch (error) {
      return denied(messageOf(error));
    }
  }

  /** Reports an event that only informs, with its fields as in `hooks schema EVENT`. Never throws. */
  async inform(event: string, fields: Fields = {}, place: Place = {}): Promise<Informed> {
    try {
      const answer = await this.#ask(event, fields, place);
      return { additionalContext: contextOf(answer), answer };
    } catch (error) {
      return { additionalContext: [], error: messageOf(error), answer: {} };
    }
  }

  /**
   * Runs a tool if the rules allow it, and returns its result as the agent may see it.
   *
   * @param run gets the arguments after rewrites
   * @throws ToolDenied if the call is denied, or its result withheld; or the error of the tool
   */
  async govern<A, R>(call: ToolCall & { toolArgs: A }, run: (args: A) => R | Promise<R>, options: GovernOptions = {}): Promise<R> {
    const made = await this.permitted(call, options);
    const start = performance.now();
    let result: R;
    try {
      result = await run(made.toolArgs);
    } catch (error) {
      throw await this.seenError({ ...made, durationMs: performance.now() - start }, error);
    }
    return this.seen({ ...made, toolResult: result, durationMs: performance.now() - start }) as Promise<R>;
  }

  /** The call as it may be made; throws {@link ToolDenied}. */
  async permitted<C extends ToolCall>(call: C, { approve }: GovernOptions = {}): Promise<C> {
    const outcome = await this.preToolUse(call);
    const message = outcome.message ?? '';
    const isApproved = outcome.decision === 'ask' && approve !== undefined && (await approve(call, message)) === true;
    if (!outcome.allowed && !isApproved) throw new ToolDenied(message, outcome);
    if (outcome.effective === undefined) return call;
    // The rules may change arguments, and nothing else of a call.
    if (!('tool_args' in outcome.effective)) throw new ToolDenied('the changed call has no arguments', denied(''));
    return { ...call, toolArgs: outcome.effective.tool_args };
  }

  /** The result as the agent may see it; throws {@link ToolDenied}. */
  async seen(end: ToolEnd): Promise<unknown> {
    const outcome = await this.postToolUse(end);
    if (!outcome.allowed) throw new ToolDenied(outcome.message ?? '', outcome);
    // An unchanged result stays the object that it is.
    return outcome.effective !== undefined && 'tool_result' in outcome.effective ? outcome.effective.tool_result : end.toolResult;
  }

  /** The error of a tool as the agent may see it: the same, or one with a scrubbed message. */
  async seenError(end: ToolEnd, error: unknown): Promise<unknown> {
    const message = messageOf(error);
    const outcome = await this.postToolUse({ ...end, error: message });
    if (!outcome.allowed) return new ToolDenied(outcome.message ?? '', outcome);
    const told = outcome.effective?.error;
    return typeof told === 'string' && told !== message ? new Error(told) : error;
  }

  /** Ends the server after its last answer. Later calls are denied. */
  close(): Promise<void> {
    return this.#server.close();
  }

  async #ask(event: string, fields: Fields, place: Place): Promise<Fields> {
    const { sessionId, agentName, cwd, teamRoot } = { ...this.#place, ...given(place) };
    const at = { session_id: sessionId, agent_name: agentName, cwd, team_root: teamRoot, timestamp: Date.now() };
    const answer = await this.#server.ask({ ...fields, event, at });
    if (answer.error !== undefined) {
      const message = isObject(answer.error) ? textOf(answer.error.message) : undefined;
      throw new NoAnswer(message ?? `\`hooks serve\` could not judge \`${event}\``);
    }
    if (answer.event !== event) throw new NoAnswer(`\`hooks serve\` answered another event than \`${event}\``);
    return answer;
  }
}

function ofCall({ toolName, toolArgs, toolUseId }: ToolCall): Fields {
  return { tool_name: toolName, tool_args: toolArgs ?? null, tool_use_id: toolUseId ?? null };
}

/** The fields of a place that are there. */
function given({ sessionId, agentName, cwd, teamRoot }: Place): Place {
  return Object.fromEntries(Object.entries({ sessionId, agentName, cwd, teamRoot }).filter(([, value]) => value !== undefined));
}

function contextOf(answer: Fields): string[] {
  const notes = Array.isArray(answer.additional_context) ? answer.additional_context : [];
  return notes.map((note) => (isObject(note) ? textOf(note.text) : undefined)).filter((text) => text !== undefined);
}

function denied(why: string): Outcome {
  const message = `denied, because the rules could not be asked: ${why}`;
  return { decision: 'deny', allowed: false, message, reasons: [], additionalContext: [], answer: {} };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
