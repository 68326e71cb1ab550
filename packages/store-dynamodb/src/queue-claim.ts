/** Claims runs within the limits, tenants taking turns. */
import type { HeldRun } from "@runledger/contracts";
import type { DynamoClient } from "./client.js";
import { iso } from "./clock.js";
import type { Db } from "./db.js";
import { untilCurrent } from "./documents.js";
import { readHeads } from "./heads.js";
import { limitsAt } from "./limits.js";
import { choose, readLimitFacts, readTurns, type Choice } from "./queue-choice.js";
import { commitClaim, type Take } from "./queue-commit.js";
import { ownedBy, readLost, sweepWorkers, type LostRuns } from "./queue-lost.js";
import { canRun, knowsPlan, readReady, type Able, type Candidate, type ReadyRuns } from "./queue-ready.js";
import { readRows, type QueueRow } from "./queue-rows.js";
import { isAlive, readWorkers } from "./queue-state.js";

interface ClaimParams extends Able {
  readonly workerId: string;
  readonly limit: number;
}

interface Claimed {
  readonly now: string;
  readonly runs: readonly HeldRun[];
  readonly limited: boolean;
}

/** Actions of operators that one claim answers. */
const ACTIONS = 20;

/** Tries again without the runs that others changed meanwhile. */
export function claimRuns(db: Db, params: ClaimParams): Promise<Claimed> {
  const busy = new Set<string>();
  return untilCurrent(() => tryClaim(db, params, busy));
}

/** An idle claim costs two requests: the state with the workers, and the claimable runs. */
async function tryClaim(db: Db, params: ClaimParams, busy: Set<string>): Promise<Claimed | undefined> {
  const { client } = db;
  const time = client.clock.now();
  const [{ state, workers }, all] = await Promise.all([
    readWorkers(client),
    readReady(client, params, time, params.limit),
  ]);
  const limits = await limitsAt(client, state);
  const now = Math.max(time, state.at);
  const answer = (runs: readonly HeldRun[]): Claimed => ({
    now: iso(now),
    runs,
    limited: state.hasKeys || limits.length > 0,
  });
  const own = workers.find(({ workerId }) => workerId === params.workerId);
  if (!isAlive(own, now)) return answer([]);
  const [lost, ready] = [without(await readLost(client, workers, now), busy), free(all, busy)];
  await sweepWorkers(client, workers, lost.without, now);
  const rest = params.limit - lost.rows.filter((row) => canRun(params, row)).length;
  const facts = await readLimitFacts(client, limits, rest > 0 ? ready : NOTHING, now);
  const turns = await readTurns(client, state.served, rest > 0 ? ready.queued : []);
  const leaving = lost.rows.filter((row) => !knowsPlan(params, row)).map(({ runId }) => runId);
  const running = facts.running.filter(({ runId }) => !leaving.includes(runId));
  const choice = choose({ ...facts, running }, turns, ready, rest);
  const takes = await plan(client, params, { lost, ready, choice, now });
  if (takes.length === 0) return answer([]);
  const { runs, conflicts } = await commitClaim(db, { workerId: params.workerId, now, state, limits, turns }, takes);
  for (const runId of conflicts ?? []) busy.add(runId);
  return conflicts === null || runs.length > 0 ? answer(runs) : undefined;
}

const NOTHING: ReadyRuns = { acted: [], returning: [], queued: [] };

function without({ rows, ...lost }: LostRuns, busy: ReadonlySet<string>): LostRuns {
  return { ...lost, rows: rows.filter(({ runId }) => !busy.has(runId)) };
}

function free({ acted, returning, queued }: ReadyRuns, busy: ReadonlySet<string>): ReadyRuns {
  const isFree = ({ runId }: Candidate): boolean => !busy.has(runId);
  return { acted: acted.filter(isFree), returning: returning.filter(isFree), queued: queued.filter(isFree) };
}

interface Found {
  readonly lost: LostRuns;
  readonly ready: ReadyRuns;
  readonly choice: Choice;
  readonly now: number;
}

interface Change {
  readonly row: QueueRow;
  readonly parts: Partial<QueueRow>;
  readonly begins?: boolean;
}

/** Lists the changes: lost runs first, then runs that return, that wait for an operator's answer, or that start. */
async function plan(client: DynamoClient, params: ClaimParams, found: Found): Promise<Take[]> {
  const changes = [...lostChanges(params, found), ...(await chosenChanges(client, params, found))];
  const heads = await readHeads(
    client,
    changes.map(({ row }) => row.runId),
  );
  return changes.flatMap(({ row, parts, begins = false }, index) => {
    const head = heads[index] ?? null;
    return head === null ? [] : [{ before: row, after: { ...row, ...parts }, head, begins }];
  });
}

/** A run that this worker cannot run is freed. A run without an action waits if there is no room. */
function lostChanges(params: ClaimParams, { lost, now }: Found): Change[] {
  const { workerId: owner, limit } = params;
  const known = lost.rows.filter((row) => canRun(params, row));
  const asked = known.slice(limit).filter(({ actsAt }) => actsAt !== null && actsAt <= now);
  return [
    ...lost.rows.filter((row) => !knowsPlan(params, row)).map((row) => freed(row, now)),
    ...known.slice(0, limit).map((row): Change => ({ row, parts: { owner } })),
    ...asked.slice(0, ACTIONS).map((row): Change => ({ row, parts: { owner, slot: false } })),
  ];
}

function freed(row: QueueRow, now: number): Change {
  const availableAt = row.startedAt === null ? row.availableAt : now;
  return { row, parts: { owner: null, slot: false, availableAt } };
}

async function chosenChanges(client: DynamoClient, { workerId: owner }: ClaimParams, found: Found): Promise<Change[]> {
  const { ready, choice, now } = found;
  const isChosen = (run: Candidate): boolean => choice.again.some(({ runId }) => runId === run.runId);
  const asked = ready.acted.filter((run) => !isChosen(run)).slice(0, ACTIONS);
  const ids = [choice.again, asked, choice.begun].map((runs) => runs.map(({ runId }) => runId));
  const rows = await readRows(client, ids.flat());
  const rowOf = new Map(rows.filter((row) => row !== null && row.owner === null).map((row) => [row!.runId, row!]));
  const of = (runIds: readonly string[]): QueueRow[] => runIds.flatMap((runId) => rowOf.get(runId) ?? []);
  const [again, acted, begun] = ids.map(of) as [QueueRow[], QueueRow[], QueueRow[]];
  const isDue = ({ availableAt }: QueueRow): boolean => availableAt <= now;
  return [
    ...again.filter(isDue).map((row): Change => ({ row, parts: { owner, slot: true } })),
    ...acted
      .filter(({ actsAt }) => actsAt !== null && actsAt <= now)
      .map((row): Change => ({ row, parts: { owner, slot: false } })),
    ...begun
      .filter((row) => isDue(row) && row.startedAt === null)
      .map((row): Change => ({ row, parts: { owner, slot: true, startedAt: now, isDelayed: false }, begins: true })),
  ];
}

export async function heldRuns({ client }: Db, workerId: string): Promise<{ now: string; runs: HeldRun[] }> {
  const runIds = await ownedBy(client, workerId);
  const [rows, heads] = await Promise.all([readRows(client, runIds), readHeads(client, runIds)]);
  const runs = runIds.flatMap((runId, index): HeldRun[] => {
    const [row, head] = [rows[index] ?? null, heads[index] ?? null];
    if (row === null || head === null || row.owner !== workerId) return [];
    const { planId, planVersion, wakes, slot } = row;
    return [
      { runId, planId, planVersion, epoch: head.leaseEpoch, takenFrom: null, headSeq: head.headSeq, wakes, slot },
    ];
  });
  return { now: iso(client.clock.now()), runs };
}
