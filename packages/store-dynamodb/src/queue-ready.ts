/** Reads the runs that can be claimed now. One request answers for a short queue; a long one is read by its beginnings. */
import type { PlanRef } from "@runledger/contracts";
import type { DynamoClient } from "./client.js";
import { text, type Item } from "./encoding.js";
import { LAST, queryAll } from "./items.js";
import { ACTIONS, KEYED, LANES, prefixOf, READY, SEPARATOR, TIMERS, timeKey } from "./queue-keys.js";
import { toQueuedPlan, toTimes, type QueuedPlan, type QueueTimes } from "./queue-rows.js";

/** A run that can be claimed, as its index item describes it. The row may have changed since. */
export interface Candidate extends QueuedPlan, QueueTimes {}

export interface ReadyRuns {
  /** Runs with an unanswered operator's action, the oldest first. */
  readonly acted: readonly Candidate[];
  /** Started runs that are due, the earliest first. */
  readonly returning: readonly Candidate[];
  /** Runs that have not started and are due, in no particular order. */
  readonly queued: readonly Candidate[];
}

/** The runs that a worker can run. */
export interface Able {
  readonly plans: readonly PlanRef[];
  readonly logFormat: number;
  readonly tenants?: readonly string[];
}

/** A queue that is not longer is read with one request. */
const SHORT = 300;
const MOST_ACTIONS = 100;
const MOST_TIMERS = 1000;
const MOST_GROUPS = 100;

export async function readReady(client: DynamoClient, able: Able, now: number, wanted: number): Promise<ReadyRuns> {
  const items = await queryAll(client, { pk: READY, to: dueUntil(now), limit: SHORT });
  const isWhole = items.length < SHORT;
  return sorted(isWhole ? items : await readBeginnings(client, now, wanted), able, now);
}

/** Reads everything that is due, for any worker. */
export async function readAllDue(client: DynamoClient, now: number): Promise<ReadyRuns> {
  return sorted(await queryAll(client, { pk: READY, to: dueUntil(now) }), null, now);
}

const dueUntil = (now: number): string => `${prefixOf(TIMERS, timeKey(now))}${LAST}`;

function sorted(items: readonly Item[], able: Able | null, now: number): ReadyRuns {
  const of = (kind: string): Candidate[] =>
    items
      .filter((item) => text(item, "sk").startsWith(prefixOf(kind)))
      .map(toCandidate)
      .filter((run) => able === null || canRun(able, run));
  const timers = of(TIMERS).filter(({ availableAt }) => availableAt <= now);
  return {
    acted: of(ACTIONS).filter(({ actsAt }) => actsAt !== null && actsAt <= now),
    returning: timers.filter(({ startedAt }) => startedAt !== null),
    queued: [...of(KEYED), ...of(LANES), ...timers.filter(({ startedAt }) => startedAt === null)],
  };
}

const toCandidate = (item: Item): Candidate => ({ ...toQueuedPlan(item), ...toTimes(item) });

export function knowsPlan({ plans, tenants }: Able, run: QueuedPlan): boolean {
  const isOwn = tenants === undefined || tenants.includes(run.tenantId);
  return isOwn && plans.some(({ planId, planVersion }) => planId === run.planId && planVersion === run.planVersion);
}

export function canRun(able: Able, run: QueuedPlan): boolean {
  return run.logFormat <= able.logFormat && knowsPlan(able, run);
}

async function readBeginnings(client: DynamoClient, now: number, wanted: number): Promise<Item[]> {
  const perGroup = Math.max(20, wanted);
  const parts = await Promise.all([
    queryAll(client, { pk: READY, prefix: prefixOf(ACTIONS), limit: MOST_ACTIONS }),
    queryAll(client, { pk: READY, from: prefixOf(TIMERS), to: dueUntil(now), limit: MOST_TIMERS }),
    readGroups(client, { kind: KEYED, depth: 3, perGroup }),
    readGroups(client, { kind: LANES, depth: 5, perGroup }),
  ]);
  return parts.flat();
}

interface Groups {
  readonly kind: string;
  /** The number of parts of a sort key that name its group. */
  readonly depth: number;
  readonly perGroup: number;
}

/** Where the next claim of this process continues, if there are more groups than one claim reads. */
const continueAt = new WeakMap<DynamoClient, Map<string, string>>();

/** Reads the beginning of each group, with one request for each that is longer, and passes over the rest. */
async function readGroups(client: DynamoClient, groups: Groups): Promise<Item[]> {
  const places = continueAt.get(client) ?? new Map<string, string>();
  continueAt.set(client, places);
  const start = places.get(groups.kind) ?? prefixOf(groups.kind);
  const first = await readSome(client, groups, start, MOST_GROUPS);
  const again = first.next === null && start !== prefixOf(groups.kind);
  const rest = again
    ? await readSome(client, groups, prefixOf(groups.kind), MOST_GROUPS - first.requests, start)
    : first;
  places.set(groups.kind, rest.next ?? prefixOf(groups.kind));
  return again ? [...first.items, ...rest.items] : first.items;
}

async function readSome(
  client: DynamoClient,
  { kind, depth, perGroup }: Groups,
  start: string,
  most: number,
  end = `${prefixOf(kind)}${LAST}`,
): Promise<{ items: Item[]; next: string | null; requests: number }> {
  const items: Item[] = [];
  let from = start;
  for (let requests = 1; requests <= Math.max(1, most); requests++) {
    const page = await queryAll(client, { pk: READY, from, to: end, limit: perGroup });
    items.push(...page);
    if (page.length < perGroup) return { items, next: null, requests };
    const [opening, closing] = [page[0]!, page.at(-1)!].map((item) => groupOf(text(item, "sk"), depth)) as [
      string,
      string,
    ];
    if (closing !== opening)
      items.splice(items.length - page.filter((item) => groupOf(text(item, "sk"), depth) === closing).length);
    from = closing === opening ? `${closing}${LAST}` : closing; // the last group of a page may continue
  }
  return { items, next: from, requests: most };
}

function groupOf(sk: string, depth: number): string {
  return prefixOf(...sk.split(SEPARATOR).slice(0, depth));
}
