/** Limits, the runs they count, and the starts that their rates count. */
import { targetsOf, type Counted, type Limit, type Limits, type LimitTarget } from "@runledger/contracts";
import { countStarts, limitFor, startsPerSecond, type StartRate } from "@runledger/core/store";
import type { WriteAction } from "./actions.js";
import type { DynamoClient } from "./client.js";
import { present } from "./conditions.js";
import type { Db } from "./db.js";
import { tryTransact } from "./documents.js";
import { json, number, type Item } from "./encoding.js";
import { getItem, getItems, LAST, putItems, queryAll, queryPages } from "./items.js";
import { TTL } from "./migrate.js";
import { HOLDERS, joined, OWNED, part, prefixOf, QUEUED, timeKey } from "./queue-keys.js";
import { toQueuedPlan, type QueuedPlan } from "./queue-rows.js";
import { stateKey, type QueueState } from "./queue-state.js";
import type { Key } from "./table.js";

const LIMITS = "LIMIT#all";
const STARTS = "RATE#starts";

export const nameOf = ({ scope, subject }: LimitTarget): string => `${scope}|${subject}`;
const limitKey = (target: LimitTarget): Key => ({ pk: LIMITS, sk: part(nameOf(target)) });
const rateKey = (target: LimitTarget): Key => ({ pk: `RATE#${part(nameOf(target))}`, sk: "-" });

/** Claims that have read the old limits are refused, because the version of the state changes (Q2). */
const limitsChanged: WriteAction = { kind: "update", key: stateKey, add: { version: 1, limitsVersion: 1 } };

export function limits({ client }: Db): Limits {
  return {
    setLimit: (limit) =>
      client.transact([{ kind: "put", item: { ...limitKey(limit), d: JSON.stringify(limit) } }, limitsChanged]),
    removeLimit: (target) =>
      tryTransact(client, [{ kind: "delete", key: limitKey(target), when: present }, limitsChanged]),
    listLimits: async () => (await readLimits(client)).toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
  };
}

async function readLimits(client: DynamoClient): Promise<Limit[]> {
  return (await queryAll(client, { pk: LIMITS })).map((item) => json(item, "d") as Limit);
}

interface KnownLimits {
  readonly version: number;
  readonly limits: readonly Limit[];
}

const known = new WeakMap<DynamoClient, KnownLimits>();

/**
 * The limits of a state. Unchanged limits are not read again. A change during the read raises the version of the state, which
 * the caller's transaction requires.
 */
export async function limitsAt(client: DynamoClient, { limitsVersion }: QueueState): Promise<readonly Limit[]> {
  if (limitsVersion === 0) return [];
  const last = known.get(client);
  if (last?.version === limitsVersion) return last.limits;
  const read = await readLimits(client);
  known.set(client, { version: limitsVersion, limits: read });
  return read;
}

export function isIn(run: Counted, { scope, subject }: LimitTarget): boolean {
  return targetsOf(run).some((own) => own.scope === scope && own.subject === subject);
}

/** Runs that hold a slot. */
export async function runningRuns(client: DynamoClient): Promise<readonly QueuedPlan[]> {
  const owned = await queryAll(client, { pk: OWNED });
  return owned.filter((item) => item["slot"] === true).map(toQueuedPlan);
}

/** Runs that hold a concurrency key. */
export async function holdersOf(client: DynamoClient, run: Counted): Promise<readonly QueuedPlan[]> {
  const prefix = prefixOf(part(run.tenantId), part(run.concurrencyKey!));
  return (await queryAll(client, { pk: HOLDERS, prefix })).map(toQueuedPlan);
}

/** Counts queued runs of a target up to `most`. */
export async function countQueued(client: DynamoClient, target: LimitTarget, most: number): Promise<number> {
  let count = 0;
  for await (const items of queryPages(client, { pk: QUEUED, prefix: queuedPrefix(target) })) {
    count += items.filter((item) => isIn(toQueuedPlan(item), target)).length;
    if (count >= most) break;
  }
  return count;
}

function queuedPrefix({ scope, subject }: LimitTarget): string {
  const [tenant = "", id = ""] = subject.split("|");
  if (scope === "tenant" || scope === "concurrencyKey") return prefixOf(part(tenant));
  return scope === "project" ? prefixOf(part(tenant), part(id)) : "";
}

export interface RunBegin {
  readonly run: QueuedPlan;
  readonly at: number;
}

export async function beginsSince(client: DynamoClient, since: number): Promise<readonly RunBegin[]> {
  const items = await queryAll(client, { pk: STARTS, from: timeKey(since), to: LAST });
  return items.map((item) => ({ run: toQueuedPlan(item), at: number(item, "at") })).filter(({ at }) => at > since);
}

export const longestRate = (all: readonly Limit[]): number => Math.max(0, ...all.map(({ rate }) => rate?.perMs ?? 0));

/** Records the start of a run, if a rate counts it. */
export function noteBegin(all: readonly Limit[], run: QueuedPlan, at: number): readonly WriteAction[] {
  const longest = longestRate(all);
  if (longest === 0) return [];
  const ttl = Math.ceil((at + longest) / 1000) + 60;
  const { runId, tenantId, projectId, planId, planVersion, logFormat, priority, concurrencyKey } = run;
  const properties = { runId, tenantId, projectId, planId, planVersion, logFormat, priority, concurrencyKey };
  return [{ kind: "put", item: { ...properties, pk: STARTS, sk: joined(timeKey(at), part(runId)), at, [TTL]: ttl } }];
}

/** Start rates of limited targets are estimates, so they are written beside the claim. That of all runs is in the state. */
export async function measureBegins(
  client: DynamoClient,
  all: readonly Limit[],
  begun: readonly QueuedPlan[],
  now: number,
): Promise<void> {
  const targets = new Map(begun.flatMap(targetsOf).map((target) => [nameOf(target), target]));
  const limited = [...targets.values()].filter((one) => one.scope !== "overall" && limitFor(all, one) !== undefined);
  if (limited.length === 0) return;
  const stored = await getItems(client, limited.map(rateKey));
  const items = limited.map((target, index) => {
    const starts = begun.filter((run) => isIn(run, target)).length;
    const rate = countStarts(toRate(stored[index]!), starts, now);
    return { ...rateKey(target), since: rate.since, starts: rate.starts };
  });
  await putItems(client, items);
}

function toRate(item: Item | null): StartRate | undefined {
  return item === null ? undefined : { since: number(item, "since"), starts: number(item, "starts") };
}

/** The recent start rate of a target. `null` if none of its runs has started recently. */
export async function drainOf(client: DynamoClient, state: QueueState, target: LimitTarget): Promise<number | null> {
  const rate = target.scope === "overall" ? state.rate : toRate(await getItem(client, rateKey(target)));
  return rate === undefined ? null : startsPerSecond(rate, client.clock.now());
}
