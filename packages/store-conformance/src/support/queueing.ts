import assert from "node:assert/strict";
import {
  sha256Hex,
  type HeldRun,
  type Leases,
  type Limit,
  type LimitTarget,
  type Limits,
  type RunQueue,
  type RunStart,
  type StateStore,
} from "@runledger/contracts";
import { eventOf } from "./events.js";

export const PLAN = { planId: "nightly", planVersion: "1.0.0" };
export const WORKER = "worker-1";

export type QueueStore = StateStore & { readonly queue: RunQueue; readonly leases: Leases; readonly limits: Limits };

type Parts = Partial<Omit<RunStart, "event">> & { readonly plan?: typeof PLAN };

export function startOf(runId: string, { plan = PLAN, ...parts }: Parts = {}): RunStart {
  const event = eventOf(runId, "RunQueued", plan);
  const rest = { tenantId: "default", startKey: sha256Hex(runId), inputHash: "none", logFormat: 1, priority: 0 };
  return { event, ...rest, ...parts };
}

/** Starts runs one after the other, so that they are queued in this order. */
export async function startAll(store: QueueStore, runIds: readonly string[], parts: Parts = {}): Promise<void> {
  for (const runId of runIds) await store.queue.startRun(startOf(runId, parts));
}

export async function claim(store: QueueStore, limit = 100, workerId = WORKER): Promise<readonly HeldRun[]> {
  await store.leases.heartbeat({ workerId, ttlMs: 60_000 });
  return (await store.queue.claimRuns({ workerId, plans: [PLAN], logFormat: 1, limit })).runs;
}

export async function claimIds(store: QueueStore, limit = 100, workerId = WORKER): Promise<string[]> {
  return (await claim(store, limit, workerId)).map(({ runId }) => runId);
}

/** Ends the run, so that it leaves the queue. */
export async function end(store: QueueStore, { runId, epoch }: HeldRun): Promise<void> {
  await store.appendEvents([eventOf(runId, "RunCompleted", PLAN)], { fence: epoch, ends: true });
}

export async function park(store: QueueStore, held: HeldRun, wakeAt: string | null = null): Promise<void> {
  const { runId, epoch, headSeq: expectedSeq, wakes } = held;
  await store.queue.parkRun({ workerId: WORKER, runId, epoch, expectedSeq, wakes, wakeAt, checkpoint: null });
}

/** Sends an operator's action. */
export async function act(store: QueueStore, runId: string): Promise<void> {
  const event = eventOf(runId, "SignalAccepted", { ...PLAN, logicalAttemptId: `action-${Math.random()}` });
  await store.appendEvents([event], { mustExist: true, acts: true });
}

export async function signal(store: QueueStore, runId: string): Promise<void> {
  const event = eventOf(runId, "SignalAccepted", { ...PLAN, logicalAttemptId: `signal-${Math.random()}` });
  await store.appendEvents([event], { mustExist: true, wakes: [runId] });
}

export function limitOf(target: LimitTarget, rest: Partial<Limit>): Limit {
  return { maxRunning: null, rate: null, maxQueued: null, priority: null, ...target, ...rest };
}

export function names(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(4, "0")}`);
}

export function assertSame(actual: Iterable<string>, expected: readonly string[], message?: string): void {
  assert.deepEqual([...actual].sort(), [...expected].sort(), message);
}
