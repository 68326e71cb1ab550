/** Chooses runs within the limits, tenants taking turns. Decides on data that was read before. */
import type { Limit, LimitTarget } from "@runledger/contracts";
import { Capacity, inServingOrder, limitFor, type TenantTurn } from "@runledger/core/store";
import type { DynamoClient } from "./client.js";
import { number } from "./encoding.js";
import { getItems, queryAll } from "./items.js";
import { beginsSince, holdersOf, isIn, longestRate, nameOf, runningRuns, type RunBegin } from "./limits.js";
import { HOLDERS, part } from "./queue-keys.js";
import type { Candidate, ReadyRuns } from "./queue-ready.js";
import { toQueuedPlan, type QueuedPlan } from "./queue-rows.js";
import type { Key } from "./table.js";

export const turnKey = (tenantId: string): Key => ({ pk: "TURN#all", sk: part(tenantId) });

/** The use of limits, as far as the runs of one claim need it. */
export interface LimitFacts {
  readonly limits: readonly Limit[];
  readonly running: readonly QueuedPlan[];
  /** Runs that hold a concurrency key, by the name of the key's target. Absent for a key that was not looked up. */
  readonly holders: ReadonlyMap<string, number>;
  readonly begins: readonly RunBegin[];
  readonly now: number;
}

const FEW_HOLDERS = 500;
const MOST_KEYS = 50;

export async function readLimitFacts(
  client: DynamoClient,
  limits: readonly Limit[],
  { returning, queued }: ReadyRuns,
  now: number,
): Promise<LimitFacts> {
  const isLimited = limits.some(({ maxRunning, scope }) => maxRunning !== null && scope !== "concurrencyKey");
  const longest = queued.length === 0 ? 0 : longestRate(limits);
  const [running, holders, begins] = await Promise.all([
    isLimited && returning.length + queued.length > 0 ? runningRuns(client) : [],
    countHolders(client, queued),
    longest === 0 ? [] : beginsSince(client, now - longest),
  ]);
  return { limits, running, holders, begins, now };
}

const keyTarget = ({ tenantId, concurrencyKey }: QueuedPlan): LimitTarget => ({
  scope: "concurrencyKey",
  subject: `${tenantId}|${concurrencyKey}`,
});

/** One request answers if few runs hold keys. Otherwise the first keys are looked up one by one. */
async function countHolders(client: DynamoClient, queued: readonly Candidate[]): Promise<Map<string, number>> {
  const keyed = new Map(
    queued.filter((run) => run.concurrencyKey !== null).map((run) => [nameOf(keyTarget(run)), run]),
  );
  if (keyed.size === 0) return new Map();
  const all = (await queryAll(client, { pk: HOLDERS, limit: FEW_HOLDERS })).map(toQueuedPlan);
  if (all.length < FEW_HOLDERS) return countBy([...keyed.keys()], all);
  const some = [...keyed].slice(0, MOST_KEYS);
  const found = await Promise.all(some.map(([, run]) => holdersOf(client, run)));
  return countBy(
    some.map(([name]) => name),
    found.flat(),
  );
}

function countBy(names: readonly string[], holders: readonly QueuedPlan[]): Map<string, number> {
  const counts = new Map(names.map((name) => [name, 0]));
  for (const run of holders) {
    const name = nameOf(keyTarget(run));
    if (counts.has(name)) counts.set(name, counts.get(name)! + 1);
  }
  return counts;
}

function capacityOf({ limits, running, holders, begins, now }: LimitFacts): Capacity {
  return new Capacity(limits, {
    running: (target) =>
      target.scope === "concurrencyKey"
        ? (holders.get(nameOf(target)) ?? Infinity)
        : running.filter((run) => isIn(run, target)).length,
    startedWithin: (target, ms) => begins.filter(({ run, at }) => at > now - ms && isIn(run, target)).length,
  });
}

export interface Turns {
  readonly served: number;
  readonly of: ReadonlyMap<string, TenantTurn>;
  /** Tenants that had no turn before. */
  readonly added: readonly string[];
}

/** A tenant gets its turn from the first claim that sees a run of it. Its other runs share it. */
export async function readTurns(client: DynamoClient, served: number, queued: readonly Candidate[]): Promise<Turns> {
  const tenants = [...new Set(queued.map(({ tenantId }) => tenantId))];
  const items = await getItems(client, tenants.map(turnKey));
  const of = new Map(
    tenants.map((tenantId, index) => {
      const item = items[index] ?? null;
      const since = (): number =>
        Math.min(...queued.filter((run) => run.tenantId === tenantId).map((run) => run.availableAt));
      return [
        tenantId,
        item === null
          ? { turn: served + 1, since: since() }
          : { turn: number(item, "turn"), since: number(item, "since") },
      ];
    }),
  );
  return { served, of, added: tenants.filter((_, index) => items[index] === null) };
}

export function inOrder(
  limits: readonly Limit[],
  { of, served }: Turns,
  queued: readonly Candidate[],
): readonly Candidate[] {
  const runs = queued.map((run) => {
    const { tenantId, projectId, planId, availableAt: dueAt } = run;
    const priorityOf = (scope: "tenant" | "project" | "workflow", subject: string): number =>
      limitFor(limits, { scope, subject })?.priority ?? 0;
    const added = priorityOf("project", `${tenantId}|${projectId}`) + priorityOf("workflow", planId);
    return { run, tenantId, dueAt, priority: run.priority + added, tenantPriority: priorityOf("tenant", tenantId) };
  });
  return inServingOrder(runs, { of: (tenantId) => of.get(tenantId)!, served }).map(({ run }) => run);
}

export interface Choice {
  /** Started runs that are due again. */
  readonly again: readonly Candidate[];
  readonly begun: readonly Candidate[];
}

export function choose(facts: LimitFacts, turns: Turns, { returning, queued }: ReadyRuns, places: number): Choice {
  if (places <= 0) return { again: [], begun: [] };
  const capacity = capacityOf(facts);
  const due = returning.toSorted((a, b) => a.availableAt - b.availableAt);
  const again = take(due, places, (run) => capacity.admit(run, false));
  const unasked = queued.filter(({ actsAt }) => (actsAt ?? Infinity) > facts.now);
  const ordered = inOrder(facts.limits, turns, unasked);
  return { again, begun: take(ordered, places - again.length, (run) => capacity.admit(run, true)) };
}

function take(runs: readonly Candidate[], places: number, admit: (run: Candidate) => boolean): readonly Candidate[] {
  const taken: Candidate[] = [];
  for (const run of runs) {
    if (taken.length >= places) break;
    if (admit(run)) taken.push(run);
  }
  return taken;
}
