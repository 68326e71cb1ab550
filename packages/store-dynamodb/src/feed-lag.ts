/** How far projections are behind the log. */
import type { ProjectionLag } from "@runledger/contracts";
import { iso } from "./clock.js";
import type { Db } from "./db.js";
import { lanes, readLane, readLanes, type LaneState } from "./feed-lanes.js";
import { readRange } from "./fetch-events.js";
import { listFollowers } from "./followers.js";
import { readHeads } from "./heads.js";
import { listAcross } from "./shards.js";
import { readWatermarks } from "./snapshots.js";

const PAGE = 200;

export async function measureLag(
  db: Db,
  { group, ignoreMs }: { readonly group: string; readonly ignoreMs: number },
): Promise<ProjectionLag> {
  const [states, followers] = await Promise.all([readLanes(db.client), listFollowers(db)]);
  const own = followers.filter(({ name }) => name.startsWith(`${group}/`));
  const passed = (lane: number): number =>
    own.length === 0 ? 0 : Math.min(...own.map(({ position }) => position.at[lane]!));
  const ages = await Promise.all(lanes.map((lane) => oldestIn(db, lane, states[lane]!, passed(lane), ignoreMs)));
  const oldest = ages.filter((at) => at !== null).sort()[0] ?? null;
  return { now: iso(db.client.clock.now()), oldestAt: oldest };
}

/** The time of the oldest event, of the first run in this lane that is not projected. */
async function oldestIn(db: Db, lane: number, { n, pruned }: LaneState, passed: number, ignoreMs: number) {
  for (let from = Math.max(passed, pruned) + 1; from <= n;) {
    const changes = await readLane(db.client, lane, from, PAGE);
    if (changes.length === 0 || changes[0]!.at > db.client.clock.now() - ignoreMs) return null;
    const runIds = [...new Set(changes.map(({ runId }) => runId))];
    const times = await Promise.all((await behindOf(db, runIds)).map((run) => firstTime(db, run)));
    const oldest = times.filter((at) => at !== null).sort()[0];
    if (oldest !== undefined) return oldest;
    from = changes.at(-1)!.n + 1;
  }
  return null;
}

interface Behind {
  readonly runId: string;
  readonly projected: number;
}

/** Runs whose head is above their projection. A run that is marked stale was already reported. */
async function behindOf(db: Db, runIds: readonly string[]): Promise<Behind[]> {
  const [heads, marks] = await Promise.all([readHeads(db.client, runIds), readWatermarks(db.client, runIds)]);
  return runIds.flatMap((runId, index) => {
    const [head, mark] = [heads[index]!, marks[index]!];
    return head !== null && !mark.isStale && head.headSeq > mark.seq ? [{ runId, projected: mark.seq }] : [];
  });
}

async function firstTime(db: Db, { runId, projected }: Behind): Promise<string | null> {
  const [event] = await readRange(db.client, { runId, afterSeq: projected, toSeq: projected + 1 });
  return event?.persistedAt ?? null;
}

/** Compares at most `limit` runs. */
export async function listBehind(
  db: Db,
  { afterRunId, limit }: { readonly afterRunId: string; readonly limit: number },
): Promise<{ readonly runIds: readonly string[]; readonly next: string | null }> {
  const compared: string[] = [];
  for await (const page of listAcross(db.client, "HEADS", afterRunId, limit)) {
    compared.push(...page);
    if (compared.length >= limit) break;
  }
  const page = compared.slice(0, limit);
  const [heads, marks] = await Promise.all([readHeads(db.client, page), readWatermarks(db.client, page)]);
  const runIds = page.filter((_, index) => (heads[index]?.headSeq ?? 0) > marks[index]!.seq);
  return { runIds, next: page.length < limit ? null : page.at(-1)! };
}
