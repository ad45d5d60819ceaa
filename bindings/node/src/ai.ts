//! Tools of the Vercel AI SDK (package `ai`), governed.

import type { ToolSet } from 'ai';
import { type GovernOptions, type Hooks, type Place } from './index.js';

export interface GovernToolsOptions extends GovernOptions, Place {}

type Execute = (input: unknown, options: { toolCallId?: string }) => unknown;

/**
 * Tools for `generateText`, `streamText` and agents, whose calls are governed. A denied call fails, and the model reads
 * why.
 *
 * @throws TypeError for a tool without `execute`, because this process does not run it
 */
export function governTools<T extends ToolSet>(hooks: Hooks, tools: T, options: GovernToolsOptions = {}): T {
  const { approve, ...place } = options;
  const governed = Object.entries(tools).map(([name, tool]) => {
    const execute = tool.execute as Execute | undefined;
    if (execute === undefined) {
      throw new TypeError(`the tool \`${name}\` has no \`execute\`, so it does not run here and cannot be governed; add it beside the governed tools`);
    }
    const run: Execute = (input, settings) =>
      hooks.govern({ ...place, toolName: name, toolArgs: input, toolUseId: settings.toolCallId }, async (args) => last(await execute.call(tool, args, settings)), { approve });
    // The result that a tool streams before its last one would be shown unread.
    return [name, { ...tool, execute: run }];
  });
  return Object.fromEntries(governed) as T;
}

/** The last of the values that a tool yields, which is its result; or its result. */
async function last(result: unknown): Promise<unknown> {
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result)) return result;
  let value: unknown;
  for await (value of result as AsyncIterable<unknown>);
  return value;
}
