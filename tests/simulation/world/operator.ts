/**
 * Starts runs, sends signals and acts on them. Retries failed calls under the same id. Finally sends each run the signals
 * that it still waits for.
 */
import {
  RetryError,
  RunledgerError,
  type FullStateStore,
  type RunSnapshot,
  type StepSnapshot,
} from "@runledger/contracts";
import { indexPlan, isTerminal, pathOf, type Action } from "@runledger/core";
import type { Ledger } from "@runledger/runtime/ledger/ledger";
import type { VirtualTime } from "@runledger/runtime/testing/virtual-time";
import type { GeneratedPlan } from "./generated-plan.js";
import type { Random } from "./random.js";

export interface OperatorParts {
  readonly time: VirtualTime;
  readonly ledger: Ledger;
  /** The store itself, for reads without delay. */
  readonly store: FullStateStore;
  readonly draw: Random;
  readonly plan: GeneratedPlan;
  /** Resolves when a worker is about to append to a run. */
  readonly busyMoment: (runId: string) => Promise<void>;
}

/** The calls to one run and their times. */
interface Sending {
  readonly afterMs: number;
  readonly send: () => Promise<unknown>;
}

const LOOK_MS = 2500;

/** Starts a run and sends it expected and unexpected signals. */
export async function operate(parts: OperatorParts, runId: string): Promise<void> {
  const { time, ledger, draw, plan } = parts;
  const sendings = [...signals(parts, runId), ...actions(parts, runId)].sort((a, b) => a.afterMs - b.afterMs);
  await pass(time, draw.between(0, 2000));
  await insist(time, () => ledger.start(plan.workflow, { input: undefined as never, runId, requestId: runId }));
  const began = time.now();
  for (const { afterMs, send } of sendings) {
    await pass(time, Math.max(0, began + afterMs - time.now()));
    if (draw.chance(0.5)) await Promise.race([parts.busyMoment(runId), pass(time, 1500)]);
    await insist(time, send);
  }
  for (let round = 0; ; round++) {
    const snapshot = await parts.store.projectSnapshot(runId);
    if (isTerminal(snapshot.status)) return;
    await attend(parts, snapshot, round);
    await pass(time, LOOK_MS);
  }
}

function signals({ ledger, draw, plan }: OperatorParts, runId: string): Sending[] {
  return [...plan.signals].flatMap(([name, count]) =>
    Array.from({ length: Math.min(count, 8) }, (_, place) => {
      const signalId = `${name}-${place}`;
      return {
        afterMs: draw.chance(0.3) ? 0 : draw.between(0, 9000),
        send: () => ledger.signal(runId, name, { place }, { signalId }),
      };
    }),
  );
}

function actions(parts: OperatorParts, runId: string): Sending[] {
  const { ledger, draw, plan } = parts;
  const act = (afterMs: number, action: Action, place = 0): Sending => {
    return { afterMs, send: () => ledger.act(runId, action, { signalId: `${action}-${place}` }) };
  };
  const sent: Sending[] = [];
  if (plan.compiled.plan.approval) sent.push(act(draw.between(0, 3000), "APPROVE"));
  for (let place = 0; draw.chance(0.2) && place < 2; place++) {
    const at = draw.between(0, 8000);
    sent.push(act(at, "PAUSE", place), act(at + draw.between(0, 3000), "RESUME", place));
  }
  if (draw.chance(0.15)) sent.push(act(draw.between(0, 12_000), "CANCEL"));
  for (let place = 0; draw.chance(0.6) && place < 3; place++) sent.push(aimed(parts, runId, place));
  for (let place = 0; draw.chance(0.2) && place < 2; place++)
    sent.push(act(draw.between(0, 20_000), "RETRY_RUN", place));
  return sent;
}

/** Targets a step of the plan, an existing step at any depth, or the next step that fails. */
function aimed(parts: OperatorParts, runId: string, place: number): Sending {
  const { ledger, draw, plan } = parts;
  const action = draw.pick(["RETRY_STEP", "SKIP_STEP"] as const);
  const own = draw.pick([...indexPlan(plan.compiled.plan).keys()].filter((path) => !path.includes("/")));
  const choose = async (): Promise<string> => {
    const there = draw.chance(0.7) ? await failing(parts, runId) : (await parts.store.projectSnapshot(runId)).steps;
    return there.length === 0 || draw.chance(0.1) ? own : draw.pick(there).stepId;
  };
  let chosen: Promise<string> | null = null; // the same target on a retry
  const send = async (): Promise<unknown> => {
    const stepId = await (chosen ??= choose());
    return ledger.act(runId, action, { signalId: `${action}-${place}`, stepId });
  };
  return { afterMs: draw.between(0, 4000), send };
}

/** Waits for failed steps inside an open container and returns them; empty after a timeout. */
async function failing({ time, store }: OperatorParts, runId: string): Promise<readonly StepSnapshot[]> {
  for (let looks = 0; looks < 20; looks++) {
    const { steps } = await store.projectSnapshot(runId);
    const open = new Set(steps.filter(({ status }) => status === "RUNNING").map(({ stepId }) => stepId));
    const failed = steps.filter(({ stepId, status }) => status === "FAILED" && open.has(stepId.split("/")[0]!));
    if (failed.length > 0) return failed;
    await pass(time, 150);
  }
  return [];
}

/** Sends signals that the run waits for and has not received. */
async function attend({ time, ledger, plan }: OperatorParts, run: RunSnapshot, round: number): Promise<void> {
  const { runId, status, steps, signals: pending = [], actions: unanswered = [] } = run;
  const act = async (name: Action): Promise<void> => {
    if (unanswered.some((action) => action.name === name)) return;
    await insist(time, () => ledger.act(runId, name, { signalId: `${name}-in-${round}` }));
  };
  if (status === "PAUSED") await act("RESUME");
  if (status === "PENDING" && plan.compiled.plan.approval) await act("APPROVE");
  const open = steps.filter((step) => step.status === "RUNNING").map(({ stepId }) => pathOf(stepId));
  const waitsFor = new Set(open.flatMap((path) => indexPlan(plan.compiled.plan).get(path)?.signal ?? []));
  for (const name of waitsFor) {
    if (pending.some((signal) => signal.name === name)) continue;
    await insist(time, () => ledger.signal(runId, name, { round }, { signalId: `${name}-in-${round}` }));
  }
}

function pass(time: VirtualTime, ms: number): Promise<void> {
  return new Promise((resolve) => void time.after(ms, resolve));
}

/** A rejection counts as a response. */
async function insist(time: VirtualTime, send: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      return void (await send());
    } catch (error) {
      if (!(error instanceof RunledgerError)) throw error;
      if (!(error instanceof RetryError)) return;
      await pass(time, 100);
    }
  }
}
