/** Random plans, as in the simulation; some of their steps fail. */
import { RunledgerError } from "@runledger/contracts";
import { testLedger, type TestLedger } from "runledger/testing";
import type { Runner } from "@runledger/runtime/engine/runners";
import { generatePlan } from "../../simulation/world/generated-plan.js";

export const generated: Readonly<Record<string, () => Promise<TestLedger>>> = Object.fromEntries(
  [1, 2, 3, 4, 5, 6].map((seed) => [`generated-${seed}`, () => story(seed)]),
);

async function story(seed: number): Promise<TestLedger> {
  let ledger: TestLedger | null = null;
  const now = (): number => ledger!.now().getTime();
  const child = generatePlan(1000 + seed, { now, id: "child", size: 2, races: false, attended: false });
  const plan = generatePlan(seed, { now, child, size: 7, races: false });
  const perform: Runner = async ({ step, context: { runId, stepId, attempt, signal } }) => {
    const { script } = runId === "run-1" ? plan : child;
    const { end } = script.attempt(runId, stepId, attempt, step.timeoutMs !== undefined);
    if (end === "hang")
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    if (end !== "ok") throw Object.assign(new Error(`It does ${end}.`), { code: end === "fatal" ? "FATAL" : "FLAKY" });
    return { from: stepId };
  };
  const runners = { function: perform, command: perform, sql: perform, http: perform };
  ledger = await testLedger({ workflows: [plan.workflow, child.workflow], runners });
  if (seed % 2 === 0) ledger.crash({ nth: 4, when: "after" });
  const run = await ledger.start(plan.workflow, undefined as never);
  if (plan.compiled.plan.approval) await run.act("APPROVE");
  for (const [name, count] of plan.signals) {
    for (let place = 0; place < count; place++) await ledger.signal(run, name, { place }).catch(onlyIfEnded);
  }
  await run.ended();
  return ledger;
}

/** A run may end without all that it could have waited for. */
function onlyIfEnded(error: unknown): void {
  if (!(error instanceof RunledgerError) || error.code !== "SIGNAL_REJECTED") throw error;
}
