/** Starts a run: once per request, and only if the queue has room for it (Q1). */
import {
  checkEvent,
  QueueFullError,
  RunDeletedError,
  RunledgerError,
  ScheduleChangedError,
  StaleLeaseError,
  targetsOf,
  type Counted,
  type Limit,
  type RunStart,
} from "@runledger/contracts";
import { limitFor, prepareCall, type RunAppend } from "@runledger/core/store";
import type { WriteAction } from "./actions.js";
import { appendRun } from "./append-events.js";
import type { DynamoClient } from "./client.js";
import { equals } from "./conditions.js";
import type { Db } from "./db.js";
import { numberOrNull, text } from "./encoding.js";
import { readHead } from "./heads.js";
import { getItem, getItems } from "./items.js";
import { countQueued, drainOf, limitsAt, nameOf } from "./limits.js";
import { newRow } from "./queue-effects.js";
import { part } from "./queue-keys.js";
import { writeRow, type RunTick } from "./queue-rows.js";
import { stateKey, toState, type QueueState } from "./queue-state.js";
import { epochOf, scheduleKey } from "./schedules.js";
import { startActions, startKey, tickKey, toKnownStart, type KnownStart } from "./start-keys.js";
import { headKey, type Key } from "./table.js";

interface Started {
  readonly runId: string;
  readonly created: boolean;
  readonly inputHash: string;
  readonly limited: boolean;
}

/** Ends an attempt: the request, or the time of the schedule, has a run. */
class AlreadyStarted extends Error {
  constructor(readonly run: KnownStart) {
    super("The request has a run.");
  }
}

export async function startRun(db: Db, start: RunStart): Promise<Started> {
  const { event, kept = [], tenantId, inputHash } = start;
  const [append] = prepareCall([event, ...kept], {}, { tenantId }).runs;
  let limited = false;
  const rider = {
    plan: async ({ now }: { readonly now: number }): Promise<readonly WriteAction[]> => {
      const planned = await planStart(db.client, start, now);
      ({ limited } = planned);
      return planned.actions;
    },
  };
  try {
    if (start.concurrencyKey !== undefined) await noteKeys(db.client);
    await written(db, append!, rider);
    return { runId: append!.runId, created: true, inputHash, limited };
  } catch (error) {
    if (!(error instanceof AlreadyStarted)) throw error;
    return { ...error.run, created: false, limited: false };
  }
}

async function written(db: Db, append: RunAppend, rider: Parameters<typeof appendRun>[2]): Promise<void> {
  const outcome = await appendRun(db, append, rider);
  if (outcome instanceof RunledgerError) throw outcome;
}

const marked = new WeakSet<DynamoClient>();

/** Claims report that ends of runs matter, from the first run with a concurrency key on. */
async function noteKeys(client: DynamoClient): Promise<void> {
  if (marked.has(client)) return;
  await client.transact([{ kind: "update", key: stateKey, set: { hasKeys: true } }]);
  marked.add(client);
}

/** The further writes of the transaction. Throws if the request is refused or has a run. */
async function planStart(
  client: DynamoClient,
  start: RunStart,
  now: number,
): Promise<{ readonly actions: readonly WriteAction[]; readonly limited: boolean }> {
  const { startKey: request, dedupeKey = request, tenantId, inputHash, parent } = start;
  const { planId = "", planVersion, runId } = checkEvent(start.event).event;
  const { projectId = "default", concurrencyKey = null, logFormat, priority, startAt } = start;
  const keys = [...new Set([request, dedupeKey])];
  const [stateItem, ...known] = await getItems(client, [stateKey, ...keys.map(startKey)]);
  await assertNew(
    client,
    known.flatMap((item) => (item === null ? [] : toKnownStart(item))),
  );
  const state = toState(stateItem ?? null);
  const limits = await limitsAt(client, state);
  const counted = { tenantId, projectId, planId, concurrencyKey };
  const [owned, room, ticked] = [
    await parentActions(client, parent),
    parent === undefined ? await roomActions(client, state, limits, counted) : [],
    await tickActions(client, start),
  ];
  const key = concurrencyKey === null ? {} : { concurrencyKey };
  const place = { planId, planVersion, logFormat, priority, projectId, ...key };
  const row = newRow(place, { runId, tenantId, now }, startAt === undefined ? undefined : Date.parse(startAt));
  const tick = tickOfStart(start);
  const queued = await writeRow(client, null, { ...row, isDelayed: row.availableAt > now, tick });
  const started = startActions({ runId, inputHash }, { tenantId, keys, tick });
  const limited = concurrencyKey !== null || limits.length > 0;
  return { actions: [...started, ...queued, ...owned, ...room, ...ticked], limited };
}

const tickOfStart = ({ tick }: RunStart): RunTick | null =>
  tick === undefined ? null : { scheduleId: tick.scheduleId, tick: tick.tick };

/** A run without a head was deleted. */
async function assertNew(client: DynamoClient, [known]: readonly KnownStart[]): Promise<void> {
  if (known === undefined) return;
  if ((await getItem(client, headKey(known.runId))) === null) throw new RunDeletedError(known.runId);
  throw new AlreadyStarted(known);
}

/** For a child: its parent is still owned under this epoch (D9). */
async function parentActions(client: DynamoClient, parent: RunStart["parent"]): Promise<WriteAction[]> {
  if (parent === undefined) return [];
  const epoch = (await readHead(client, parent.runId))?.leaseEpoch ?? 0;
  if (epoch !== parent.epoch) throw new StaleLeaseError(parent.runId, parent.epoch, epoch);
  return [{ kind: "check", key: headKey(parent.runId), when: equals({ leaseEpoch: epoch }) }];
}

const gateKey = (name: string): Key => ({ pk: `LIMIT#gate#${part(name)}`, sk: "-" });

/** Starts under a limit of queued runs happen one after the other, each counted before the next. */
async function roomActions(
  client: DynamoClient,
  state: QueueState,
  limits: readonly Limit[],
  run: Counted,
): Promise<WriteAction[]> {
  const targets = targetsOf(run).filter((target) => (limitFor(limits, target)?.maxQueued ?? null) !== null);
  const gates = await getItems(
    client,
    targets.map((target) => gateKey(nameOf(target))),
  );
  const actions: WriteAction[] = [];
  for (const [index, target] of targets.entries()) {
    const most = limitFor(limits, target)!.maxQueued!;
    if ((await countQueued(client, target, most)) >= most)
      throw new QueueFullError(target, await drainOf(client, state, target));
    const gate = gates[index] ?? null;
    const version = gate === null ? null : numberOrNull(gate, "version");
    const when = version === null ? ({ op: "absent", name: "pk" } as const) : equals({ version });
    actions.push({ kind: "update", key: gateKey(nameOf(target)), add: { version: 1 }, when });
  }
  return actions;
}

/** A time of a schedule has one run, whichever version and process starts it. */
async function tickActions(client: DynamoClient, { tenantId, tick, inputHash }: RunStart): Promise<WriteAction[]> {
  if (tick === undefined) return [];
  const { scheduleId, epoch } = tick;
  const key = scheduleKey({ tenantId, scheduleId });
  if (epoch !== null && (await epochOf(client, key)) !== epoch) throw new ScheduleChangedError(tenantId, scheduleId);
  const earlier = await getItem(client, tickKey(tenantId, tick));
  if (earlier !== null) throw new AlreadyStarted({ runId: text(earlier, "runId"), inputHash });
  return epoch === null ? [] : [{ kind: "check", key, when: equals({ epoch }) }];
}
