/** Runs a generated plan on a test ledger, with or without killing its worker. */
import { RunledgerError } from "@runledger/contracts";
import { testLedger, type CallPoint, type RecordedHistory, type TestLedger, type TestRun } from "runledger/testing";
import type { Runner } from "@runledger/runtime/engine/runners";
import { generatePlan, type GeneratedPlan } from "../world/generated-plan.js";
import { stateOf } from "./state-of.js";

const RUN = "r1";

export interface Ended {
  readonly history: RecordedHistory;
  /** The final state of every run and its steps. */
  readonly state: Readonly<Record<string, unknown>>;
  /** Number of appends by workers. */
  readonly appends: number;
}

/** @param crash The append at which the worker dies: before the call is sent, or before its result arrives. */
export async function oneRun(seed: number, crash?: Pick<CallPoint, "when" | "nth">): Promise<Ended> {
  let ledger: TestLedger | null = null;
  let appends = 0;
  const now = (): number => ledger!.now().getTime();
  const child = generatePlan(seed + 1_000_000_000, { now, id: "child", size: 2, races: false, attended: false });
  const plan = generatePlan(seed, { now, child, size: 5, races: false });
  ledger = await testLedger({ workflows: [plan.workflow, child.workflow], runners: runnersOf(plan, child) });
  ledger.crash({ nth: Infinity, ...crash, where: () => ++appends > 0 });
  const run = await ledger.start(plan.workflow, { input: undefined as never, runId: RUN, requestId: RUN });
  await attend(run, ledger, plan);
  await run.ended();
  await ledger.settle();
  const history = await ledger.history();
  const snapshots = await Promise.all(history.logs.map(({ runId }) => ledger.store.projectSnapshot(runId)));
  await ledger.close();
  return { history, state: stateOf(snapshots, history), appends };
}

/** Runs the script's outcome immediately. */
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

/** Sends every signal that the run might wait for, until the run finishes. */
async function attend(run: TestRun, ledger: TestLedger, { compiled, signals }: GeneratedPlan): Promise<void> {
  if (compiled.plan.approval) await run.act("APPROVE");
  const ids = [...signals].flatMap(([name, count]) =>
    Array.from({ length: count }, (_, place) => ({ name, signalId: `${name}-${place}` })),
  );
  for (const { name, signalId } of ids) {
    const send = (): Promise<void> => ledger.signal(run, name, { by: "me" }, { signalId });
    const answer = await send().then(() => null, codeOf);
    if (answer === "SIGNAL_REJECTED") return;
    if (answer === "SIGNAL_LIMIT") await ledger.advance("1m").then(send).catch(codeOf);
  }
}

function codeOf(error: unknown): string {
  if (error instanceof RunledgerError && error.code.startsWith("SIGNAL_")) return error.code;
  throw error;
}
