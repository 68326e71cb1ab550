/** A generated plan on a test ledger, from its start to its end, with or without a worker that is killed on the way. */
import { RunledgerError } from "@runledger/contracts";
import { testLedger, type CallPoint, type RecordedHistory, type TestLedger, type TestRun } from "runledger/testing";
import type { Runner } from "../../../packages/runledger/src/engine/runners.js";
import { generatePlan, type GeneratedPlan } from "../world/generated-plan.js";
import { stateOf } from "./state-of.js";

const RUN = "r1";

export interface Ended {
  readonly history: RecordedHistory;
  /** Of every run: how it ended, and how each of its steps did. */
  readonly state: Readonly<Record<string, unknown>>;
  /** How often a worker called the store to append. */
  readonly appends: number;
}

/** `crash`: which append, and whether the worker dies before it is sent or before it is answered. */
export async function oneRun(seed: number, crash?: Pick<CallPoint, "when" | "nth">): Promise<Ended> {
  let ledger: TestLedger | null = null;
  let appends = 0;
  const now = (): number => ledger!.now().getTime();
  const child = generatePlan(seed + 1_000_000_000, { now, id: "child", size: 2, races: false, attended: false });
  const plan = generatePlan(seed, { now, child, size: 5, races: false });
  ledger = await testLedger({ workflows: [plan.workflow, child.workflow], runners: runnersOf(plan, child) });
  ledger.crash({ nth: Infinity, ...crash, where: () => ++appends > 0 });
  const run = await ledger.start(plan.workflow, undefined as never, { runId: RUN, requestId: RUN });
  await attend(run, ledger, plan);
  await run.ended();
  await ledger.settle();
  const history = await ledger.history();
  const snapshots = await Promise.all(history.logs.map(({ runId }) => ledger.store.projectSnapshot(runId)));
  await ledger.close();
  return { history, state: stateOf(snapshots, history), appends };
}

/** Does what the script says, at once. */
function runnersOf(plan: GeneratedPlan, child: GeneratedPlan): Readonly<Record<string, Runner>> {
  const perform: Runner = async ({ step, context: { runId, stepId, attempt, signal } }) => {
    const { script } = runId === RUN ? plan : child;
    const { end } = script.attempt(runId, stepId, attempt, step.timeoutMs !== undefined);
    if (end === "hang")
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    if (end !== "ok") throw Object.assign(new Error(`It does ${end}.`), { code: end === "fatal" ? "FATAL" : "FLAKY" });
    return { from: stepId };
  };
  return { function: perform, command: perform, sql: perform, http: perform };
}

/** Sends all that the run could wait for. It may end without some of it. */
async function attend(run: TestRun, ledger: TestLedger, { compiled, signals }: GeneratedPlan): Promise<void> {
  if (compiled.plan.approval) await run.act("APPROVE");
  for (const [name, count] of signals) {
    for (let place = 0; place < count; place++) {
      await ledger.signal(run, name, { by: "me" }, { signalId: `${name}-${place}` }).catch(onlyIfEnded);
    }
  }
}

function onlyIfEnded(error: unknown): void {
  if (!(error instanceof RunledgerError) || error.code !== "SIGNAL_REJECTED") throw error;
}
