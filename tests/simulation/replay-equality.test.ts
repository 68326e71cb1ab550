/**
 * A worker is killed after an append, for every append there is, and another one goes on: the run ends in the state in
 * which it ends when nobody is killed, and each logical attempt is on record once (K5).
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkHistory } from "@runledger/store-conformance";
import { testLedger, type CallPoint, type RecordedHistory, type TestLedger } from "runledger/testing";
import { RunledgerError, type Json, type JsonObject, type RunSnapshot } from "@runledger/contracts";
import { generatePlan, type GeneratedPlan } from "./world/generated-plan.js";
import type { Runner } from "../../packages/runledger/src/engine/runners.js";

const RUN = "r1";

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

interface Ended {
  readonly history: RecordedHistory;
  /** Of every run: how it ended, and how each of its steps did. */
  readonly state: Readonly<Record<string, unknown>>;
}

async function run(seed: number, crash?: CallPoint): Promise<Ended> {
  let ledger: TestLedger | null = null;
  const now = (): number => ledger!.now().getTime();
  const child = generatePlan(seed + 1_000_000_000, { now, id: "child", size: 2, races: false, attended: false });
  const plan = generatePlan(seed, { now, child, size: 5, races: false });
  ledger = await testLedger({ workflows: [plan.workflow, child.workflow], runners: runnersOf(plan, child) });
  if (crash !== undefined) ledger.crash(crash);
  const started = await ledger.start(plan.workflow, undefined as never, { runId: RUN, requestId: RUN });
  if (plan.compiled.plan.approval) await started.act("APPROVE");
  for (const [name, count] of plan.signals) {
    for (let place = 0; place < count; place++) {
      await ledger.signal(started, name, { by: "me" }, { signalId: `${name}-${place}` }).catch(onlyIfEnded);
    }
  }
  await started.ended();
  await ledger.settle();
  const history = await ledger.history();
  const snapshots = await Promise.all(history.logs.map(({ runId }) => ledger.store.projectSnapshot(runId)));
  await ledger.close();
  return { history, state: stateOf(snapshots, history) };
}

/** A run may end without all that it could have waited for. */
function onlyIfEnded(error: unknown): void {
  if (!(error instanceof RunledgerError) || error.code !== "SIGNAL_REJECTED") throw error;
}

function stateOf(snapshots: readonly RunSnapshot[], { logs }: RecordedHistory): Readonly<Record<string, unknown>> {
  const outputs = new Map<string, Json>();
  for (const { eventType, runId, stepId, logicalAttemptId, eventData } of logs.flatMap(({ events }) => events)) {
    if (eventType !== "StepCompleted") continue;
    const { signalId, ...output } = eventData as JsonObject; // which of several signals it was, depends on the order
    outputs.set(`${runId} ${stepId} ${logicalAttemptId}`, {
      ...output,
      ...(signalId === undefined ? {} : { signal: true }),
    });
  }
  const entries = snapshots.map(({ runId, status, steps }) => {
    const each = steps.map(({ stepId, status: how, logicalAttemptId }) => {
      return [stepId, { how, logicalAttemptId, output: outputs.get(`${runId} ${stepId} ${logicalAttemptId}`) }];
    });
    return [runId, { status, steps: Object.fromEntries(each) as unknown }];
  });
  return Object.fromEntries(entries) as Readonly<Record<string, unknown>>;
}

function appendsIn({ operations }: RecordedHistory): number {
  return operations.filter(
    (each) => each.kind === "append" && each.parts[0]!.fence !== null && each.parts[0]!.events.length > 0,
  ).length;
}

function conflictsIn({ operations }: RecordedHistory): unknown[] {
  return operations.flatMap((operation) =>
    operation.kind === "append"
      ? operation.parts.flatMap(({ outcome }) =>
          outcome.status === "acknowledged" ? outcome.results.filter(({ conflict }) => conflict === true) : [],
        )
      : [],
  );
}

function attemptsRecordedTwice({ logs }: RecordedHistory): string[] {
  const seen = new Set<string>();
  return logs
    .flatMap(({ events }) => events)
    .flatMap(({ runId, eventType, stepId, logicalAttemptId }) => {
      if (stepId === undefined) return [];
      const name = `${runId} ${eventType === "StepStarted" ? "start" : "end"} ${stepId} ${logicalAttemptId}`;
      if (seen.has(name)) return [name];
      seen.add(name);
      return [];
    });
}

async function survives(seed: number, when: "before" | "after"): Promise<number> {
  const undisturbed = await run(seed);
  const appends = appendsIn(undisturbed.history);
  for (let nth = 1; nth <= appends; nth++) {
    const disturbed = await run(seed, { nth, when });
    const about = `seed ${seed}, killed ${when} append ${nth} of ${appends}`;
    expect(disturbed.state, about).toEqual(undisturbed.state);
    expect(attemptsRecordedTwice(disturbed.history), about).toEqual([]);
    expect(conflictsIn(disturbed.history), about).toEqual([]);
    expect(checkHistory(disturbed.history).violations, about).toEqual([]);
  }
  return appends;
}

test(
  "[E-30] killed after every single append, a run ends as if nobody had been killed",
  { timeout: 600_000 },
  async () => {
    let appends = 0;
    const property = fc.asyncProperty(fc.integer({ min: 1, max: 1_000_000 }), async (seed) => {
      appends += await survives(seed, "after");
    });
    await fc.assert(property, { numRuns: 30, endOnFailure: true });
    console.log(`killed after ${appends} appends`);
  },
);

test("[E-30] killed before an append is sent, it does so too", { timeout: 600_000 }, async () => {
  const property = fc.asyncProperty(fc.integer({ min: 1, max: 1_000_000 }), async (seed) => {
    await survives(seed, "before");
  });
  await fc.assert(property, { numRuns: 10, endOnFailure: true });
});
