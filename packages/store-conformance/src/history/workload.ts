/**
 * Clients that conflict: few hot runs, colliding keys, repeated calls, concurrent readers, and a run that its owners
 * take from each other. `checkHistory` judges the result.
 */
import { RunledgerError, type StateStore } from "@runledger/contracts";
import { eventOf } from "../support/events.js";
import { random, type Random } from "../support/random.js";
import type { History } from "./history.js";
import { mergeHistories } from "./merge-histories.js";
import { readEnd } from "./read-end.js";
import { recordHistory } from "./record-history.js";
import type { RecordOptions } from "./recording.js";
import { appendSome, appendTogether, appendToOwned, readSome, repeatLast, streamAll, type Turn } from "./turns.js";

export interface WorkloadOptions {
  /** The same seed makes the same choices. Their results also depend on timing. */
  readonly seed: number;
  /** Defaults to 4. */
  readonly clients?: number;
  /** Turns per client. Defaults to 40. */
  readonly turns?: number;
}

/** The runs that all clients of a workload write to. The last one is for owners only. */
const FREE_RUNS = ["hot-1", "hot-2"];
const OWNED_RUN = "owned";

/**
 * Runs a whole workload in this process. `handles` are one or more handles on one empty store; only the backend orders
 * calls of different handles.
 */
export async function runWorkload(handles: readonly StateStore[], options: WorkloadOptions): Promise<History> {
  const { seed, clients = 4, turns = 40 } = options;
  const names = Array.from({ length: clients }, (_, index) => `client-${index + 1}`);
  const histories = await Promise.all(
    names.map((client, index) =>
      runClient(handles[index % handles.length]!, { client, seed: seed * 1000 + index, turns }),
    ),
  );
  return mergeHistories([...histories, await readEnd(handles[0]!)]);
}

export interface ClientOptions extends RecordOptions {
  readonly client: string;
  readonly seed: number;
  readonly turns: number;
}

/** One client of a workload. Several processes may each run one on the same store. */
export async function runClient(store: StateStore, options: ClientOptions): Promise<Partial<History>> {
  const recorder = recordHistory(store, options);
  const turn: Turn = {
    store: recorder.store,
    client: options.client,
    draw: random(options.seed),
    freeRuns: FREE_RUNS,
    ownedRun: OWNED_RUN,
    memory: { epoch: null, lastCall: null, heads: new Map(), keys: 10 },
  };
  await ignoringRefusals(() => turn.store.appendEvent(eventOf(OWNED_RUN, "RunQueued")));
  for (let count = 0; count < options.turns; count++) await ignoringRefusals(() => takeTurn(turn));
  return { operations: recorder.operations };
}

function takeTurn(turn: Turn): Promise<unknown> {
  turn.memory.keys += 2;
  return chooseTurn(turn.draw)(turn);
}

function chooseTurn(draw: Random): (turn: Turn) => Promise<unknown> {
  const choice = draw.below(20);
  if (choice < 7) return appendSome;
  if (choice < 9) return repeatLast;
  if (choice < 11) return appendTogether;
  if (choice < 15) return readSome;
  if (choice < 16) return streamAll;
  return appendToOwned;
}

/** Refusals are expected and recorded. Any other error is a fault of the store. */
async function ignoringRefusals(action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof RunledgerError)) throw error;
  }
}
