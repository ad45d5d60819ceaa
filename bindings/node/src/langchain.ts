//! Middleware for agents of LangChain.js (package `langchain`, version 1).

import { createMiddleware, ToolMessage } from 'langchain';
import { type GovernOptions, type Hooks, type Place, ToolDenied } from './index.js';

export interface MiddlewareOptions extends GovernOptions, Place {}

/**
 * Middleware for `createAgent({ middleware: [...] })` that governs the calls of tools. A denied call becomes a tool
 * message with status `error`. Without `sessionId`, the thread of the agent is the session.
 */
export function hooksMiddleware(hooks: Hooks, options: MiddlewareOptions = {}) {
  const { approve, ...place } = options;
  return createMiddleware({
    name: 'tower-hooks',
    wrapToolCall: async (request, handler) => {
      const { toolCall, runtime } = request;
      const call = { sessionId: threadOf(runtime), ...place, toolName: toolCall.name, toolArgs: toolCall.args as unknown, toolUseId: toolCall.id };
      const denied = (content: string) => new ToolMessage({ content, name: toolCall.name, tool_call_id: toolCall.id ?? '', status: 'error' });
      try {
        const made = await hooks.permitted(call, { approve });
        const changed = { ...request, toolCall: { ...toolCall, args: made.toolArgs as Record<string, unknown> } };
        const result = await run(hooks, made, () => handler(changed));
        return (await read(hooks, made, result)) as typeof result;
      } catch (error) {
        if (error instanceof ToolDenied) return denied(error.message);
        throw error;
      }
    },
  });
}

type Call = Parameters<Hooks['permitted']>[0];

/** Runs a tool. If it fails, that is recorded, and the message scrubbed, before the model may read it. */
async function run<R>(hooks: Hooks, call: Call, tool: () => R | Promise<R>): Promise<R> {
  try {
    return await tool();
  } catch (error) {
    throw await hooks.seenError(call, error);
  }
}

/** The result with the contents that the model may read: of a message, or of the messages in a command. */
async function read(hooks: Hooks, call: Call, result: unknown): Promise<unknown> {
  if (ToolMessage.isInstance(result)) return readMessage(hooks, call, result);
  const update = (result as { update?: { messages?: unknown } } | undefined)?.update;
  if (!Array.isArray(update?.messages)) {
    await hooks.seen({ ...call, toolResult: null });
    return result;
  }
  update.messages = await Promise.all(
    update.messages.map((message: unknown) => (ToolMessage.isInstance(message) ? readMessage(hooks, call, message) : message)),
  );
  return result;
}

async function readMessage(hooks: Hooks, call: Call, message: ToolMessage): Promise<ToolMessage> {
  const error = message.status === 'error' ? message.text : undefined;
  const content = await hooks.seen({ ...call, toolResult: message.content, error });
  if (content === message.content) return message;
  const { name, tool_call_id, status, artifact, id, additional_kwargs } = message;
  return new ToolMessage({ content: content as ToolMessage['content'], name, tool_call_id, status, artifact, id, additional_kwargs });
}

function threadOf(runtime: unknown): string | undefined {
  const { configurable } = (runtime ?? {}) as { configurable?: { thread_id?: unknown } };
  return typeof configurable?.thread_id === 'string' ? configurable.thread_id : undefined;
}
