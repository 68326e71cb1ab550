/** Stores that do not keep what the engine relies on. */
import {
  newEvent,
  SeqMismatchError,
  StaleLeaseError,
  type AppendOptions,
  type AppendResult,
  type Checkpoint,
  type FullStateStore,
  type HeldRun,
  type NewEvent,
} from "@runledger/contracts";
import type { StoreCall } from "../../../packages/runledger/src/testing/intercept-store.js";
import { inStore, only, type PlantedBug } from "./planted-bug.js";

type Append = readonly [events: readonly NewEvent[], options?: AppendOptions];
type Park = { readonly runId: string; readonly wakeAt: string | null; readonly checkpoint: Checkpoint | null };

function appendOf({ args }: StoreCall): { readonly events: readonly NewEvent[]; readonly options: AppendOptions } {
  const [events, options = {}] = args as unknown as Append;
  return { events, options };
}

function without<K extends keyof AppendOptions>(options: AppendOptions, name: K): Omit<AppendOptions, K> {
  const { [name]: _, ...rest } = options;
  return rest;
}

/** Asks again with what the store would have wanted. */
function forced(name: string, insist: (store: FullStateStore, call: StoreCall) => Promise<unknown>): PlantedBug {
  return { name, plant: () => ({ store: (store) => (call) => insist(store, call) }) };
}

const noFence = forced("no fence", async (_, call) => {
  try {
    return await call.proceed();
  } catch (error) {
    if (!(error instanceof StaleLeaseError) || call.name !== "appendEvents") throw error;
    const { events, options } = appendOf(call);
    return call.proceed([events, { ...options, fence: error.currentEpoch }]);
  }
});

const parkAtAnyHead = forced("park without expectedSeq", async (store, call) => {
  try {
    return await call.proceed();
  } catch (error) {
    if (!(error instanceof SeqMismatchError) || call.name !== "queue.parkRun") throw error;
    const held = await store.queue.heldRuns((call.args[0] as { workerId: string }).workerId);
    const wakes = held.runs.find(({ runId }) => runId === error.runId)?.wakes;
    return call.proceed([{ ...(call.args[0] as object), expectedSeq: error.headSeq, wakes }]);
  }
});

const parkWithAnyWakes = forced("park forgets a wake-up", async (store, call) => {
  if (call.name !== "queue.parkRun") return call.proceed();
  const { workerId, runId } = call.args[0] as { readonly workerId: string; readonly runId: string };
  const held = await store.queue.heldRuns(workerId);
  const wakes = held.runs.find((run) => run.runId === runId)?.wakes ?? 0;
  return call.proceed([{ ...(call.args[0] as object), wakes }]);
});

/** Two workers get the same run under the same epoch. */
const doubleClaim: PlantedBug = {
  name: "double claim",
  plant: () => {
    const given = new Map<string, HeldRun>();
    return {
      store: () =>
        only("queue.claimRuns", async ({ args, proceed }) => {
          const { workerId } = args[0] as { readonly workerId: string };
          const answer = (await proceed()) as { readonly now: string; readonly runs: readonly HeldRun[] };
          const others = [...given].filter(([name]) => name.endsWith("!") && !name.startsWith(workerId));
          for (const [name] of others) given.delete(name);
          for (const run of answer.runs) given.set(`${workerId} ${run.runId}!`, run);
          const again = others
            .map(([, run]) => run)
            .filter((run) => !answer.runs.some((own) => own.runId === run.runId));
          return { ...answer, runs: [...answer.runs, ...again] };
        }),
    };
  },
};

const lostTimer = inStore("lost timer", "queue.parkRun", ({ args, proceed }) => {
  return proceed([{ ...(args[0] as Park), wakeAt: null }]);
});

const signalDoesNotWake = inStore("a signal does not wake its run", "appendEvents", (call) => {
  const { events, options } = appendOf(call);
  return call.proceed([events, options.fence === undefined ? without(options, "wakes") : options]);
});

/** The wake-up is an append's afterthought; whoever dies in between does not have it. */
const childDoesNotWake = inStore("a child's end does not wake its parent", "appendEvents", (call) => {
  const { events, options } = appendOf(call);
  return call.proceed([events, options.ends === true ? without(options, "wakes") : options]);
});

const endedRunStaysQueued = inStore("an ended run is claimed again", "appendEvents", (call) => {
  const { events, options } = appendOf(call);
  return call.proceed([events, without(options, "ends")]);
});

/** The engine is told that nobody came in between. */
const staleFold = inStore("decision on a stale fold", "appendEvents", async (call) => {
  const { events, options } = appendOf(call);
  if (options.expectedSeq === undefined || options.fence === undefined) return call.proceed();
  const { expectedSeq } = options;
  const results = (await call.proceed([events, without(options, "expectedSeq")])) as readonly AppendResult[];
  return results.map((result, place) => ({ ...result, runSeq: expectedSeq + 1 + place }));
});

/** Another event stands where the take-over should. */
const takeOverNotRecorded = inStore("take-over not recorded", "appendEvents", (call) => {
  const { events, options } = appendOf(call);
  const [event] = events as readonly [NewEvent];
  if (event.eventType !== "RunTakenOver") return call.proceed();
  const { idempotencyKey: _, ...parts } = event;
  return call.proceed([[newEvent({ ...parts, eventType: "Noted" })], options]);
});

/** A hidden retry under a key of its own. */
const recordedTwice: PlantedBug = {
  name: "an end is recorded twice",
  plant: () => {
    let count = 0;
    return {
      store: () =>
        only("appendEvents", async (call) => {
          const { events, options } = appendOf(call);
          const results = await call.proceed();
          const end = events.find(({ eventType }) => eventType === "StepCompleted");
          if (end === undefined || ++count % 10 !== 0) return results;
          const { idempotencyKey: _, eventId: __, ...parts } = end;
          const { fence } = options;
          await call.proceed([
            [newEvent({ ...parts, planVersion: `${end.planVersion}+` })],
            fence === undefined ? {} : { fence },
          ]);
          return results;
        }),
    };
  },
};

const tornAppend: PlantedBug = {
  name: "an append is torn",
  plant: () => {
    let count = 0;
    return {
      store: () =>
        only("appendEvents", async (call) => {
          const { events, options } = appendOf(call);
          if (events.length < 2 || ++count % 5 !== 0) return call.proceed();
          const kept = (await call.proceed([events.slice(0, -1), options])) as readonly AppendResult[];
          const last = kept.at(-1)!.runSeq;
          return [...kept, { runSeq: last + 1, idempotent: false, persisted: true }];
        }),
    };
  },
};

const lostAppend: PlantedBug = {
  name: "an acknowledged append is lost",
  plant: () => {
    let count = 0;
    return {
      store: () =>
        only("appendEvents", async (call) => {
          const { events, options } = appendOf(call);
          if (options.expectedSeq === undefined || ++count % 20 !== 0) return call.proceed();
          return events.map((_, place) => ({
            runSeq: options.expectedSeq! + 1 + place,
            idempotent: false,
            persisted: true,
          }));
        }),
    };
  },
};

const leaseNeverEnds = inStore("a dead worker keeps its runs", "leases.heartbeat", ({ args, proceed }) => {
  return proceed([{ ...(args[0] as object), ttlMs: 1e12 }]);
});

/** C2: labelled with a seq that it does not contain. */
const checkpointAhead = inStore("checkpoint ahead of the fold", "queue.parkRun", ({ args, proceed }) => {
  const parking = args[0] as Park;
  const { checkpoint } = parking;
  if (checkpoint === null) return proceed();
  return proceed([{ ...parking, checkpoint: { ...checkpoint, seq: checkpoint.seq + 1 } }]);
});

const laggingRead: PlantedBug = {
  name: "a read lags behind",
  plant: () => {
    let count = 0;
    return {
      store: () =>
        only("streamEvents", async ({ proceed }) => {
          const events = (await proceed()) as readonly unknown[];
          return ++count % 5 === 0 ? events.slice(0, -1) : events;
        }),
    };
  },
};

export const storeBugs: readonly PlantedBug[] = [
  noFence,
  parkAtAnyHead,
  parkWithAnyWakes,
  doubleClaim,
  lostTimer,
  signalDoesNotWake,
  childDoesNotWake,
  endedRunStaysQueued,
  staleFold,
  takeOverNotRecorded,
  recordedTwice,
  tornAppend,
  lostAppend,
  leaseNeverEnds,
  checkpointAhead,
  laggingRead,
];
