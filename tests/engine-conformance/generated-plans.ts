/** Plans of the simulation's generator for both engines. Their outcomes do not depend on timing. */
import { indexPlan } from "@runledger/core";
import { connect, RunFailedError, type Ledger, type LedgerWorkerOptions } from "runledger";
import type { Runner } from "@runledger/runtime/engine/runners";
import { generatePlan, type GeneratedPlan } from "../simulation/world/generated-plan.js";
import type { StepScript } from "../simulation/world/step-script.js";

/** A run accepts 60 signals per minute. All are sent before the run starts. */
const MOST_SIGNALS = 30;
const SIZE = 3;
const MOST_STEPS = 12;
const IN_PARALLEL = 25;

export interface GeneratedRun {
  readonly runId: string;
  readonly plan: GeneratedPlan;
  readonly child: GeneratedPlan;
}

/** Generates this many runs. */
export function generateRuns(count: number): readonly GeneratedRun[] {
  const runs: GeneratedRun[] = [];
  for (let seed = 1; runs.length < count; seed++) {
    const options = { now: Date.now, races: false };
    const child = generatePlan(seed + 1_000_000, { ...options, id: `child-${seed}`, size: 2, attended: false });
    const plan = generatePlan(seed, { ...options, id: `plan-${seed}`, child, size: SIZE });
    const signals = [...plan.signals.values()].reduce((sum, each) => sum + each, 0);
    if (signals <= MOST_SIGNALS && plan.weight <= MOST_STEPS) runs.push({ runId: `generated-${seed}`, plan, child });
  }
  return runs;
}

/** Plays all runs to their end. The ledger stays open. */
export async function playAll(
  url: string,
  runs: readonly GeneratedRun[],
  options: Omit<LedgerWorkerOptions, "workflows">,
): Promise<Ledger> {
  const ledger = await connect(url);
  const workflows = runs.flatMap(({ plan, child }) => [plan.workflow, child.workflow]);
  const places = Array.from({ length: IN_PARALLEL }, (_, place) => place);
  const shares = places.map((place) => runs.filter((_, index) => index % IN_PARALLEL === place));
  await Promise.all(shares.map((share) => startEach(ledger, share)));
  await ledger.worker({ pollMs: 50, ...options, workflows, runners: runnersOf(runs), onAlert: () => {} });
  await Promise.all(shares.map((share) => waitForEach(ledger, share)));
  return ledger;
}

async function startEach(ledger: Ledger, runs: readonly GeneratedRun[]): Promise<void> {
  for (const { runId, plan } of runs) {
    await ledger.start(plan.workflow, { input: undefined as never, runId });
    if (plan.compiled.plan.approval) await ledger.act(runId, "APPROVE");
    for (const [name, count] of plan.signals)
      for (let place = 0; place < count; place++) await ledger.signal(runId, name, { by: "test" });
  }
}

async function waitForEach(ledger: Ledger, runs: readonly GeneratedRun[]): Promise<void> {
  for (const { runId, plan } of runs) {
    const run = await ledger.get(plan.workflow, runId);
    await run.result().catch((error: unknown) => {
      if (!(error instanceof RunFailedError)) throw error;
    });
  }
}

/** Runs the scripted outcome of a step at once. */
function runnersOf(runs: readonly GeneratedRun[]): Readonly<Record<string, Runner>> {
  const scripts = new WeakMap<object, StepScript>();
  for (const { compiled, script } of runs.flatMap(({ plan, child }) => [plan, child]))
    for (const step of indexPlan(compiled.plan).values()) scripts.set(step, script);
  const perform: Runner = async ({ step, context: { stepId, attempt, signal } }) => {
    const { end } = scripts.get(step)!.attempt("any run", stepId, attempt, step.timeoutMs !== undefined);
    if (end === "hang")
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    if (end !== "ok") throw Object.assign(new Error(`It does ${end}.`), { code: end === "fatal" ? "FATAL" : "FLAKY" });
    return { from: stepId };
  };
  return { function: perform, command: perform, sql: perform, http: perform };
}
