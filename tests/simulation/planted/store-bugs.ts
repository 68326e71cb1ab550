/** Bugs in the store: broken promises that the engine relies on. */
import type { AppendOptions, AppendResult, Checkpoint, HeldRun } from "@runledger/contracts";
import { StaleLeaseError } from "@runledger/contracts";
import { appendOf, without } from "./append-calls.js";
import { everyNth, only, type PlantedBug, type Wrong } from "./planted-bug.js";

function inStore(name: string, breaks: readonly string[], call: string, wrong: () => Wrong): PlantedBug {
  return {
    name,
    breaks,
    plant: () => {
      const wrongly = wrong(); // shared by all clients of a seed
      return { store: () => only(call, wrongly) };
    },
  };
}

type Claimed = { readonly now: string; readonly runs: readonly HeldRun[] };

/** Hands a claimed run to a second worker under the same epoch. */
const claimedTwice = (): Wrong => {
  let last: { readonly workerId: string; readonly runs: readonly HeldRun[] } | null = null;
  return async ({ args, proceed }) => {
    const { workerId } = args[0] as { readonly workerId: string };
    const answer = (await proceed()) as Claimed;
    const others = last === null || last.workerId === workerId ? [] : last.runs;
    const again = others.filter(({ runId }) => !answer.runs.some((own) => own.runId === runId));
    last = answer.runs.length > 0 ? { workerId, runs: answer.runs } : null;
    return { ...answer, runs: [...answer.runs, ...again] };
  };
};

function strip(name: keyof AppendOptions, isConcerned: (options: AppendOptions) => boolean): () => Wrong {
  return () => (call) => {
    const { events, options } = appendOf(call);
    return call.proceed([events, isConcerned(options) ? without(options, name) : options]);
  };
}

const torn = (): Wrong => {
  const isTorn = everyNth(5);
  return async (call) => {
    const { events, options } = appendOf(call);
    if (events.length < 2 || !isTorn()) return call.proceed();
    const kept = (await call.proceed([events.slice(0, -1), options])) as readonly AppendResult[];
    return [...kept, { runSeq: kept.at(-1)!.runSeq + 1, idempotent: false, persisted: true }];
  };
};

const lost = (): Wrong => {
  const isLost = everyNth(20);
  return async (call) => {
    const { events, options } = appendOf(call);
    if (options.expectedSeq === undefined || !isLost()) return call.proceed();
    const first = options.expectedSeq + 1;
    return events.map((_, place) => ({ runSeq: first + place, idempotent: false, persisted: true }));
  };
};

const lagging = (): Wrong => {
  const isBehind = everyNth(5);
  return async ({ proceed }) => {
    const events = (await proceed()) as readonly unknown[];
    return isBehind() ? events.slice(0, -1) : events;
  };
};

/** Accepts any epoch. */
const unfenced = (): Wrong => async (call) => {
  try {
    return await call.proceed();
  } catch (error) {
    if (!(error instanceof StaleLeaseError) || error.heldEpoch === null) throw error;
    const { events, options } = appendOf(call);
    return call.proceed([events, { ...options, fence: error.currentEpoch }]);
  }
};

/** C2: labels a checkpoint with a seq that it does not contain. */
const ahead = (): Wrong => (call) => {
  const parking = call.args[0] as { readonly checkpoint: Checkpoint | null };
  const { checkpoint } = parking;
  if (checkpoint === null) return call.proceed();
  return call.proceed([{ ...parking, checkpoint: { ...checkpoint, seq: checkpoint.seq + 1 } }]);
};

const forEver = (): Wrong => (call) => call.proceed([{ ...(call.args[0] as object), ttlMs: 1e12 }]);
const untimed = (): Wrong => (call) => call.proceed([{ ...(call.args[0] as object), wakeAt: null }]);

export const storeBugs: readonly PlantedBug[] = [
  inStore("no fence", ["stale-lease-refused"], "appendEvents", unfenced),
  inStore("double claim", ["one-owner-per-epoch"], "queue.claimRuns", claimedTwice),
  inStore("lost timer", ["run-ends"], "queue.parkRun", untimed),
  inStore("a dead worker keeps its runs", ["run-ends"], "leases.heartbeat", forEver),
  inStore(
    "a signal's wake-up is not in its append",
    ["run-ends"],
    "appendEvents",
    strip("wakes", ({ fence }) => fence === undefined),
  ),
  inStore(
    "a child's wake-up is not in its append",
    ["run-ends"],
    "appendEvents",
    strip("wakes", ({ ends }) => ends === true),
  ),
  inStore(
    "an ended run stays in the queue",
    ["run-ends"],
    "appendEvents",
    strip("ends", () => true),
  ),
  inStore("an append is torn", ["acknowledged-in-log"], "appendEvents", torn),
  inStore("an acknowledged append is lost", ["acknowledged-in-log"], "appendEvents", lost),
  inStore("a read lags behind", ["read-is-a-prefix"], "streamEvents", lagging),
  inStore("checkpoint ahead of the fold", ["checkpoint-is-the-fold", "checkpoint-label"], "queue.parkRun", ahead),
];
