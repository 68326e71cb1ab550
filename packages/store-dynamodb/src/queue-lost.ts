/** Runs of workers that are lost: a claim takes them over, or frees them for workers that know their plan (O1). */
import type { WriteAction } from "./actions.js";
import type { DynamoClient } from "./client.js";
import { equals } from "./conditions.js";
import { tryTransact } from "./documents.js";
import { text } from "./encoding.js";
import { queryAll } from "./items.js";
import { OWNED, part, prefixOf } from "./queue-keys.js";
import { readRows, type QueueRow } from "./queue-rows.js";
import { isAlive, workerKey, type WorkerRow } from "./queue-state.js";

const MOST_WORKERS = 10;
const MOST_RUNS = 100;
const DAY_MS = 86_400_000;

export interface LostRuns {
  readonly rows: readonly QueueRow[];
  /** Lost workers that own nothing. */
  readonly without: readonly WorkerRow[];
}

/** A lost worker without runs is marked, so that the next claims do not ask for its runs again. */
export async function readLost(client: DynamoClient, workers: readonly WorkerRow[], now: number): Promise<LostRuns> {
  const dead = workers.filter((worker) => !isAlive(worker, now) && !worker.isSwept).slice(0, MOST_WORKERS);
  const owned = await Promise.all(dead.map((worker) => ownedBy(client, worker.workerId, MOST_RUNS)));
  const rows = (await readRows(client, owned.flat())).filter((row) => row !== null);
  const isLost = ({ owner }: QueueRow): boolean => dead.some(({ workerId }) => workerId === owner);
  return { rows: rows.filter(isLost), without: dead.filter((_, index) => owned[index]!.length === 0) };
}

export async function ownedBy(client: DynamoClient, workerId: string, limit?: number): Promise<string[]> {
  const range = { pk: OWNED, prefix: prefixOf(part(workerId)), ...(limit === undefined ? {} : { limit }) };
  return (await queryAll(client, range)).map((item) => text(item, "runId"));
}

/** Forgets lost workers without runs: those that retired at once, others after a day. */
export async function sweepWorkers(
  client: DynamoClient,
  workers: readonly WorkerRow[],
  without: readonly WorkerRow[],
  now: number,
): Promise<void> {
  const old = workers.filter(({ isSwept, expiresAt }) => isSwept && expiresAt < now - DAY_MS);
  const swept = [...without.map(sweptWorker), ...old.map(forgotten)];
  await Promise.all(swept.map((action) => tryTransact(client, [action])));
}

function sweptWorker(worker: WorkerRow): WriteAction {
  if (worker.isRetired) return forgotten(worker);
  const when = equals({ expiresAt: worker.expiresAt });
  return { kind: "update", key: workerKey(worker.workerId), set: { swept: true }, when };
}

/** A heartbeat changes the time, so a worker that came back stays. */
function forgotten({ workerId, expiresAt }: WorkerRow): WriteAction {
  return { kind: "delete", key: workerKey(workerId), when: equals({ expiresAt }) };
}
