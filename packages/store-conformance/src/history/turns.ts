/** The actions of a workload's client, one per turn. */
import type { AppendOptions, Leases, NewEvent, StateStore } from "@runledger/contracts";
import { eventOf, logOf } from "../support/events.js";
import type { Random } from "../support/random.js";
import { snapshotCheckpoint } from "./snapshot-replay.js";

export interface Turn {
  readonly store: StateStore;
  readonly client: string;
  readonly draw: Random;
  readonly freeRuns: readonly string[];
  readonly ownedRun: string;
  readonly memory: {
    /** The last epoch it got for the owned run. It may be stale. */
    epoch: number | null;
    lastCall: { readonly events: readonly NewEvent[]; readonly options: AppendOptions } | null;
    /** The seq up to which it has read each run. */
    readonly heads: Map<string, number>;
    /** The number of different keys so far. It grows, so that there is always a new event to write. */
    keys: number;
  };
}

export function appendSome(turn: Turn): Promise<unknown> {
  const { draw, memory } = turn;
  const runId = draw.pick(turn.freeRuns);
  const head = memory.heads.get(runId);
  const options = head !== undefined && draw.chance(0.2) ? { expectedSeq: head } : {};
  return append(turn, someEvents(turn, runId), options);
}

/** Repeats the last call, like a client that lost the answer. */
export async function repeatLast({ store, memory }: Turn): Promise<unknown> {
  if (memory.lastCall === null) return;
  return store.appendEvents(memory.lastCall.events, memory.lastCall.options);
}

/** Makes several calls at once, one of them over two runs, so that they share a batch. */
export function appendTogether(turn: Turn): Promise<unknown> {
  const [first = "", second = ""] = turn.freeRuns;
  const calls = [
    someEvents(turn, first),
    [...someEvents(turn, second), ...someEvents(turn, first)],
    someEvents(turn, first),
  ];
  return Promise.allSettled(calls.map((events) => turn.store.appendEvents(events)));
}

export async function readSome({ store, draw, freeRuns, ownedRun, memory }: Turn): Promise<void> {
  const runId = draw.pick([...freeRuns, ownedRun]);
  const afterSeq = draw.chance(0.3) ? 0 : (memory.heads.get(runId) ?? 0);
  const events = await store.fetchEvents(runId, draw.chance(0.3) ? { afterSeq, limit: 3 } : { afterSeq });
  memory.heads.set(runId, events.at(-1)?.runSeq ?? afterSeq);
}

export async function streamAll({ store, draw, freeRuns, memory }: Turn): Promise<void> {
  const runId = draw.pick(freeRuns);
  memory.heads.set(runId, (await logOf(store, runId)).length);
}

/** Sometimes takes over the run, and writes under the last epoch it got, which may be stale. */
export async function appendToOwned(turn: Turn): Promise<unknown> {
  const { store, client, draw, ownedRun, memory } = turn;
  const { leases, checkpoints } = store;
  if (leases === undefined) return append(turn, someEvents(turn, ownedRun), {});
  if (memory.epoch === null || draw.chance(0.3)) await takeOver(turn, leases);
  if (memory.epoch === null) return;
  const snapshot = await store.projectSnapshot(ownedRun);
  if (draw.chance(0.3)) await checkpoints?.loadCheckpoint(ownedRun);
  const saved = checkpoints !== undefined && draw.chance(0.5) ? { checkpoint: snapshotCheckpoint(snapshot) } : {};
  const fresh = eventOf(ownedRun, "StepStarted", { stepId: `${client}/${memory.keys}` });
  return append(turn, [fresh, ...someEvents(turn, ownedRun)], { fence: memory.epoch, ...saved });
}

async function takeOver({ store, client, ownedRun, memory }: Turn, leases: Leases): Promise<void> {
  const [head] = await store.fetchHeads([ownedRun]);
  const owner = head?.leaseOwner ?? client;
  if (owner !== client) await leases.retireWorker(owner); // as if it had crashed: it does not know and continues
  await leases.heartbeat({ workerId: client, ttlMs: 60_000 });
  const { leases: granted } = await leases.acquireLeases({ workerId: client, runIds: [ownedRun] });
  memory.epoch = granted[0]?.epoch ?? memory.epoch;
}

function append(turn: Turn, events: readonly NewEvent[], options: AppendOptions): Promise<unknown> {
  turn.memory.lastCall = { events, options };
  return turn.store.appendEvents(events, options);
}

/** One to four events whose keys other clients choose, too. */
function someEvents({ draw, client, memory }: Turn, runId: string): NewEvent[] {
  return Array.from({ length: 1 + draw.below(4) }, () => {
    const eventType = draw.pick(["StepStarted", "StepCompleted"]);
    const eventData = draw.chance(0.8) ? {} : { by: client };
    return eventOf(runId, eventType, { stepId: `s${draw.below(memory.keys)}`, eventData });
  });
}
