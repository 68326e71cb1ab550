/**
 * Three clients at once, over two connections: each runs its own random sequence without waiting for the others.
 * `checkHistory` judges what they saw.
 */
import assert from "node:assert/strict";
import { RunledgerError, type FullStateStore } from "@runledger/contracts";
import { checkHistory, mergeHistories, readEnd, recordHistory } from "@runledger/store-conformance";
import * as fc from "fast-check";
import { callSpecs, prepare, showCall } from "./append-commands.js";
import { RUNS, runs, type Counter } from "./event-specs.js";

interface Client {
  readonly name: string;
  readonly store: FullStateStore;
  /** Shared, so that no two events have the same id. */
  readonly counter: Counter;
}

interface Turn {
  readonly run: (client: Client) => Promise<unknown>;
  /** Rendering for fast-check. */
  readonly [fc.toStringMethod]: () => string;
}

const turn = (name: string, run: Turn["run"]): Turn => ({ run, [fc.toStringMethod]: () => name });

const appends = callSpecs.map((call) =>
  turn(showCall(call), async ({ store, counter }) => (await prepare(store, call, counter))(store)),
);

const reads = fc
  .record({ runId: runs, afterSeq: fc.integer({ min: 0, max: 6 }), limit: fc.constantFrom(2, 1000) })
  .map(({ runId, afterSeq, limit }) =>
    turn(`fetch ${runId} after ${afterSeq} limit ${limit}`, ({ store }) =>
      store.fetchEvents(runId, { afterSeq, limit }),
    ),
  );

const CLIENTS = ["client-0", "client-1", "client-2"];

const takes = fc.constantFrom(...CLIENTS).map((other) =>
  turn(`take over from ${other}`, async ({ store, name }) => {
    await store.leases.retireWorker(other);
    await store.leases.heartbeat({ workerId: name, ttlMs: 3_600_000 });
    await store.leases.acquireLeases({ workerId: name, runIds: [...RUNS] });
  }),
);

const loads = runs.map((runId) =>
  turn(`load checkpoint of ${runId}`, ({ store }) => store.checkpoints.loadCheckpoint(runId)),
);

const turns: fc.Arbitrary<Turn[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: appends },
    { weight: 3, arbitrary: reads },
    { weight: 1, arbitrary: takes },
    { weight: 1, arbitrary: loads },
  ),
  { minLength: 1, maxLength: 10, size: "max" },
);

/** The content that the clients share. */
export interface SharedContent {
  /** Returns two handles on empty content. */
  fresh(): Promise<readonly FullStateStore[]>;
  close(): Promise<void>;
}

/** Throws with the seed, the path and the shrunken sequences if a history is not clean. */
export async function assertCleanHistories(
  content: SharedContent,
  { histories, ...again }: { readonly histories: number; readonly seed?: number; readonly path?: string },
): Promise<void> {
  const property = fc.asyncProperty(fc.tuple(turns, turns, turns), async (clients) => {
    await assertClean(await content.fresh(), clients);
  });
  try {
    await fc.assert(property, { numRuns: histories, ...again });
  } finally {
    await content.close();
  }
}

async function assertClean(handles: readonly FullStateStore[], sequences: readonly Turn[][]): Promise<void> {
  const counter = { events: 0 };
  const recorders = CLIENTS.map((client, index) => recordHistory(handles[index % handles.length]!, { client }));
  const clients = recorders.map(({ store }, index): Client => {
    return { name: CLIENTS[index]!, store: store as FullStateStore, counter };
  });
  await Promise.all(clients.map((client, index) => runTurns(client, sequences[index]!)));
  const history = mergeHistories([...recorders, await readEnd(handles[0]!)]);
  assert.deepEqual(checkHistory(history).violations, []);
}

async function runTurns(client: Client, sequence: readonly Turn[]): Promise<void> {
  for (const { run } of sequence) {
    await run(client).catch((error: unknown) => {
      if (!(error instanceof RunledgerError)) throw error; // refusals are recorded and judged
    });
  }
}
