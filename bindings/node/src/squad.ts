//! The hook pipeline of Squad's SDK, judged by Hooks in the profile `squad-compat`; and the hooks of its sessions.
//!
//! Types have the shape of `@bradygaster/squad-sdk`, so that one import changes.

import { type Approve, Hooks, type HooksOptions, type Outcome, type Place, ToolDenied } from './index.js';
import { type Fields, isObject } from './json.js';

export type HookAction = 'allow' | 'block' | 'modify';

export interface PreToolUseContext {
  toolName: string;
  arguments: Record<string, unknown>;
  agentName: string;
  sessionId: string;
}

export interface PreToolUseResult {
  action: HookAction;
  modifiedArguments?: Record<string, unknown>;
  reason?: string;
}

export interface PostToolUseContext extends PreToolUseContext {
  result: unknown;
}

export interface PostToolUseResult {
  result: unknown;
}

export type PreToolUseHook = (ctx: PreToolUseContext) => PreToolUseResult | Promise<PreToolUseResult>;
export type PostToolUseHook = (ctx: PostToolUseContext) => PostToolUseResult | Promise<PostToolUseResult>;

export interface PolicyConfig {
  allowedWritePaths?: string[];
  blockedCommands?: string[];
  maxAskUserPerSession?: number;
  scrubPii?: boolean;
  reviewerLockout?: boolean;
}

export const DEFAULT_BLOCKED_COMMANDS = ['rm -rf', 'git push --force', 'git rebase', 'git reset --hard'];

/** Squad's tools that write files, which its lockout guards. */
const WRITE_TOOLS: ReadonlySet<string> = new Set(['edit', 'create', 'write_file', 'create_file']);

/** Squad's `HookPipeline`: the rules first, then the lockouts, then the hooks that were added. */
export class HookPipeline {
  readonly #hooks: Hooks;
  readonly #before: PreToolUseHook[] = [];
  readonly #after: PostToolUseHook[] = [];
  readonly #lockouts = new ReviewerLockoutHook();

  /** `options` are those of {@link Hooks}; with a `config` of their own, those rules judge, and not `policy`. */
  constructor(policy: PolicyConfig = {}, options: HooksOptions = {}) {
    this.#hooks = new Hooks({ config: { ...rules(policy), profile: 'squad-compat' }, ...options });
    if (policy.reviewerLockout) this.addPreToolHook(this.#lockouts.createHook());
    if (policy.scrubPii || options.config !== undefined) this.addPostToolHook((ctx) => this.#scrubbed(ctx));
  }

  addPreToolHook(hook: PreToolUseHook): void {
    this.#before.push(hook);
  }

  addPostToolHook(hook: PostToolUseHook): void {
    this.#after.push(hook);
  }

  /** Blocks what the rules deny, and what gets no valid answer. */
  async runPreToolHooks(ctx: PreToolUseContext): Promise<PreToolUseResult> {
    const outcome = await this.#hooks.preToolUse({ ...ctx, toolArgs: ctx.arguments });
    if (!outcome.allowed) return { action: 'block', reason: reasonOf(outcome) };
    for (const hook of this.#before) {
      const result = await hook(ctx);
      if (result.action === 'block') return result;
      if (result.action === 'modify' && result.modifiedArguments) ctx = { ...ctx, arguments: result.modifiedArguments };
    }
    return { action: 'allow' };
  }

  async runPostToolHooks(ctx: PostToolUseContext): Promise<PostToolUseResult> {
    let { result } = ctx;
    for (const hook of this.#after) ({ result } = await hook({ ...ctx, result }));
    return { result };
  }

  getReviewerLockout(): ReviewerLockoutHook {
    return this.#lockouts;
  }

  /** Ends the server. Without it, the server ends with this process. */
  close(): Promise<void> {
    return this.#hooks.close();
  }

  /** A result that cannot be judged becomes the text that says so. */
  async #scrubbed(ctx: PostToolUseContext): Promise<PostToolUseResult> {
    const { result } = ctx;
    const hasText = typeof result === 'string' || (typeof result === 'object' && result !== null);
    if (!hasText) return { result };
    try {
      return { result: await this.#hooks.seen({ ...ctx, toolArgs: ctx.arguments, toolResult: result }) };
    } catch (error) {
      if (error instanceof ToolDenied) return { result: error.message };
      throw error;
    }
  }
}

/** The fields of a policy that Squad reads. Its own truth of a value counts, as for a limit of 0. */
function rules({ allowedWritePaths, blockedCommands, maxAskUserPerSession, scrubPii, reviewerLockout }: PolicyConfig): Fields {
  const hasLimit = maxAskUserPerSession !== undefined && maxAskUserPerSession > 0;
  return {
    allowedWritePaths: allowedWritePaths || undefined,
    blockedCommands: blockedCommands || undefined,
    maxAskUserPerSession: hasLimit ? maxAskUserPerSession : undefined,
    scrubPii: Boolean(scrubPii),
    // Locked here, because `lockout` and `isLockedOut` answer at once.
    reviewerLockout: Boolean(reviewerLockout),
  };
}

/** Squad's reason if one of its policies blocked. */
function reasonOf(outcome: Outcome): string {
  const squad = outcome.reasons.find((reason) => reason.policy === 'squad-compat' && reason.strength === 'deny');
  return typeof squad?.message === 'string' ? squad.message : outcome.message ?? 'blocked';
}

/** Squad's lockouts of agents from artifacts, in this process. */
export class ReviewerLockoutHook {
  readonly #locked = new Map<string, Set<string>>();

  lockout(artifactId: string, agentName: string): void {
    const agents = this.#locked.get(artifactId) ?? new Set();
    this.#locked.set(artifactId, agents.add(agentName));
  }

  isLockedOut(artifactId: string, agentName: string): boolean {
    return this.#locked.get(artifactId)?.has(agentName) ?? false;
  }

  clearLockout(artifactId: string): void {
    this.#locked.delete(artifactId);
  }

  getLockedAgents(artifactId: string): string[] {
    return [...(this.#locked.get(artifactId) ?? [])];
  }

  clearAll(): void {
    this.#locked.clear();
  }

  createHook(): PreToolUseHook {
    return ({ toolName, arguments: args, agentName }) => {
      const path = args.path || args.file_path;
      if (!WRITE_TOOLS.has(toolName) || typeof path !== 'string' || path === '') return { action: 'allow' };
      for (const [artifact, agents] of this.#locked) {
        if (agents.has(agentName) && (path.includes(artifact) || artifact.includes(path))) {
          const reason = `Reviewer lockout: Agent "${agentName}" is locked out of artifact "${artifact}". Another reviewer must handle this artifact.`;
          return { action: 'block', reason };
        }
      }
      return { action: 'allow' };
    };
  }
}

export interface ToolResultObject {
  textResultForLlm: string;
  resultType: 'success' | 'failure' | 'rejected' | 'denied';
  error?: string;
  [field: string]: unknown;
}

interface BaseInput {
  timestamp: number;
  cwd: string;
}

interface Invocation {
  sessionId: string;
}

/** Hooks of a session, with the names and words of Squad's SDK and of the Copilot SDK. */
export interface SessionHooks {
  onPreToolUse(input: BaseInput & { toolName: string; toolArgs: unknown }, invocation: Invocation): Promise<PreToolUseOutput | undefined>;
  onPostToolUse(
    input: BaseInput & { toolName: string; toolArgs: unknown; toolResult: ToolResultObject },
    invocation: Invocation,
  ): Promise<{ modifiedResult?: ToolResultObject; additionalContext?: string; suppressOutput?: boolean } | undefined>;
  onUserPromptSubmitted(input: BaseInput & { prompt: string }, invocation: Invocation): Promise<{ modifiedPrompt?: string; additionalContext?: string } | undefined>;
  onSessionStart(
    input: BaseInput & { source: 'startup' | 'resume' | 'new'; initialPrompt?: string },
    invocation: Invocation,
  ): Promise<{ additionalContext?: string; modifiedConfig?: Record<string, unknown> } | undefined>;
  onSessionEnd(input: BaseInput & { reason: 'complete' | 'error' | 'abort' | 'timeout' | 'user_exit'; error?: string }, invocation: Invocation): Promise<undefined>;
  onErrorOccurred(
    input: BaseInput & { error: string; errorContext: 'model_call' | 'tool_execution' | 'system' | 'user_input'; recoverable: boolean },
    invocation: Invocation,
  ): Promise<{ errorHandling?: 'retry' } | undefined>;
}

export interface PreToolUseOutput {
  permissionDecision?: 'allow' | 'deny' | 'ask';
  permissionDecisionReason?: string;
  modifiedArgs?: unknown;
  additionalContext?: string;
}

/**
 * Hooks for `SquadSessionConfig.hooks`. Where no rule objects there is no `permissionDecision`, so the session's own
 * permissions still decide.
 *
 * @param agentName the session's agent, which these hooks are not told
 */
export function asSessionHooks(hooks: Hooks, agentName?: string): SessionHooks {
  const place = ({ cwd }: BaseInput, { sessionId }: Invocation): Place => ({ sessionId, agentName, cwd: cwd || undefined });
  return {
    async onPreToolUse(input, invocation) {
      const { toolName, toolArgs } = input;
      const outcome = await hooks.preToolUse({ toolName, toolArgs, ...place(input, invocation) });
      const isAsk = outcome.decision === 'ask';
      const refusal = outcome.allowed ? {} : { permissionDecision: isAsk ? 'ask' : 'deny', permissionDecisionReason: outcome.message } as const;
      const change = outcome.effective === undefined ? {} : { modifiedArgs: outcome.effective.tool_args };
      return filled({ ...refusal, ...change, ...context(outcome) });
    },
    async onPostToolUse(input, invocation) {
      const { toolName, toolArgs, toolResult } = input;
      const error = toolResult.error ?? (toolResult.resultType === 'success' ? undefined : toolResult.textResultForLlm);
      const outcome = await hooks.postToolUse({ toolName, toolArgs, toolResult, error, ...place(input, invocation) });
      const suppressOutput = outcome.answer.suppress_output === true || undefined;
      return filled({ modifiedResult: changedResult(toolResult, outcome), ...context(outcome), suppressOutput });
    },
    async onUserPromptSubmitted(input, invocation) {
      const outcome = await hooks.decide('user_prompt_submitted', { prompt: input.prompt.toWellFormed() }, place(input, invocation));
      // A session hook cannot reject a prompt, so the model is told why there is none.
      const changed = outcome.allowed ? outcome.effective?.prompt : outcome.message;
      return filled({ modifiedPrompt: typeof changed === 'string' ? changed : undefined, ...context(outcome) });
    },
    async onSessionStart(input, invocation) {
      const source = input.source === 'resume' ? 'resume' : 'startup';
      const told = await hooks.inform('session_start', { source, initial_prompt: input.initialPrompt?.toWellFormed() ?? null }, place(input, invocation));
      const { model } = told.answer;
      return filled({ ...context(told), modifiedConfig: typeof model === 'string' ? { model } : undefined });
    },
    async onSessionEnd(input, invocation) {
      await hooks.inform('session_end', { reason: input.reason, error: input.error?.toWellFormed() ?? null }, place(input, invocation));
      return undefined;
    },
    async onErrorOccurred(input, invocation) {
      const types = { model_call: 'model', tool_execution: 'tool', system: 'unknown', user_input: 'unknown' };
      const fields = { error: input.error.toWellFormed(), error_type: types[input.errorContext] ?? 'unknown', recoverable: input.recoverable };
      const told = await hooks.inform('error_occurred', fields, place(input, invocation));
      return told.answer.retry === true ? { errorHandling: 'retry' } : undefined;
    },
  };
}

/** A tool of a session. */
export interface SessionTool {
  name: string;
  handler(args: never, invocation: { sessionId: string; toolCallId: string; toolName: string; arguments: unknown }): unknown;
}

/** A tool whose calls are governed. What is denied becomes a result of type `denied`, which the model reads. */
export function governSessionTool<T extends SessionTool>(hooks: Hooks, tool: T, options: { agentName?: string; approve?: Approve } = {}): T {
  const handler: SessionTool['handler'] = async (args, invocation) => {
    const call = { toolName: tool.name, toolArgs: args, toolUseId: invocation.toolCallId, sessionId: invocation.sessionId, agentName: options.agentName };
    try {
      return await hooks.govern(call, (changed) => tool.handler(changed, invocation), options);
    } catch (error) {
      if (!(error instanceof ToolDenied)) throw error;
      return { textResultForLlm: error.message, resultType: 'denied' } satisfies ToolResultObject;
    }
  };
  return { ...tool, handler };
}

function changedResult(result: ToolResultObject, outcome: Outcome): ToolResultObject | undefined {
  if (!outcome.allowed) return { textResultForLlm: outcome.message ?? '', resultType: 'denied' };
  const { effective } = outcome;
  if (effective === undefined) return undefined;
  const changed = isObject(effective.tool_result) ? effective.tool_result : { textResultForLlm: JSON.stringify(effective.tool_result) };
  const error = result.error !== undefined && typeof effective.error === 'string' ? { error: effective.error } : {};
  return { ...result, ...changed, ...error };
}

function context({ additionalContext }: { additionalContext: string[] }): { additionalContext?: string } {
  return additionalContext.length > 0 ? { additionalContext: additionalContext.join('\n\n') } : {};
}

/** The output without fields that are not there; undefined if there are none. */
function filled<T extends object>(output: T): T | undefined {
  const fields = Object.entries(output).filter(([, value]) => value !== undefined);
  return fields.length > 0 ? (Object.fromEntries(fields) as T) : undefined;
}
