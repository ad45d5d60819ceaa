// Squad's side: runs the calls of cases.json through its published pipeline, prints the least time of each.
// Usage: node measure.mjs FOLDER_OF_THE_PACKAGE
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { join } from "node:path";

const { HookPipeline } = await import(pathToFileURL(join(process.argv[2], "dist/hooks/index.js")));
const cases = JSON.parse(readFileSync(new URL("cases.json", import.meta.url), "utf8"));
console.warn = () => {}; // Writing warnings is not what is measured.

const pipeline = new HookPipeline(cases.policy);
for (const [artifact, agent] of cases.lockouts) pipeline.getReviewerLockout().lockout(artifact, agent);

async function batch(call, count) {
  const run = { toolName: call.tool, arguments: call.arguments, agentName: "Backend", sessionId: "session-1" };
  if (call.phase === "post") run.result = call.result;
  const hooks = call.phase === "pre" ? (c) => pipeline.runPreToolHooks(c) : (c) => pipeline.runPostToolHooks(c);
  const start = process.hrtime.bigint();
  for (let i = 0; i < count; i++) await hooks(run);
  return Number(process.hrtime.bigint() - start) / count;
}

const least = cases.calls.map(() => Infinity);
for (let round = 0; round < 300; round++) {
  for (const [place, call] of cases.calls.entries()) {
    least[place] = Math.min(least[place], await batch(call, 200));
  }
}
for (const [place, call] of cases.calls.entries()) console.log(`${least[place].toFixed(1)}\t${call.name}`);
