import { workerGap, type FullStateStore, type RunNeeds } from "@runledger/contracts";
import { answerOf, explain, type Admission } from "@runledger/core";
import { realTimers, type Timers } from "../time/timers.js";
import { readWaits } from "./wait-reasons.js";
import { loadState } from "./load-state.js";

/** Returns the admission of a new run: accepted, or queued or delayed by a limit or a time. */
export async function admissionOf(store: FullStateStore, runId: string): Promise<Admission> {
  const facts = await store.queue.inspectRun(runId);
  if (facts === null) return { answer: "ACCEPT" }; // already finished
  const state = await loadState(store, runId);
  return answerOf(explain(facts, await readWaits(store, state)));
}

/** A start must stay cheap, so it may use what an earlier start has read less than a second ago. */
const KEEP_MS = 1000;

interface Known {
  readonly readAt: number;
  readonly isServed: Promise<boolean>;
  /** The admission of the last start that no worker serves. */
  last: Promise<Admission> | null;
}

const known = new WeakMap<FullStateStore, Map<string, Known>>();

/**
 * Returns the admission of a new run that no limit delays: accepted, unless no live worker can run it. Starts that come
 * together share one look at the queue, whose cost grows with the runs that wait.
 */
export async function admissionByWorkers(
  store: FullStateStore,
  runId: string,
  needs: RunNeeds,
  { now }: Timers = realTimers,
): Promise<Admission> {
  const plan = standingOf(store, needs, now);
  if (await plan.isServed) return { answer: "ACCEPT" };
  const before = plan.last ?? Promise.resolve(null);
  plan.last = before
    .catch(() => null)
    .then((last) => (last?.answer === "QUEUE" ? { ...last, position: last.position + 1 } : admissionOf(store, runId)));
  return plan.last;
}

/** Call this when a worker starts. */
export function forgetWorkers(store: FullStateStore): void {
  known.delete(store);
}

function standingOf(store: FullStateStore, needs: RunNeeds, now: () => number): Known {
  const plans = known.get(store) ?? new Map<string, Known>();
  known.set(store, plans);
  const key = `${needs.planId}|${needs.planVersion}|${needs.tenantId ?? ""}`;
  const found = plans.get(key);
  if (found !== undefined && now() - found.readAt < KEEP_MS) return found;
  const isServed = store.leases.listWorkers().then((workers) => workerGap(workers, needs) === null);
  isServed.catch(() => plans.delete(key));
  const read = { readAt: now(), isServed, last: null };
  plans.set(key, read);
  return read;
}
