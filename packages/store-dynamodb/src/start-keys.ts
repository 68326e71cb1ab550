/** Requests and schedule ticks that have a run. They outlive the run, until `purge` removes them (A5). */
import type { WriteAction } from "./actions.js";
import type { DynamoClient } from "./client.js";
import { absent, equals } from "./conditions.js";
import { tryTransact } from "./documents.js";
import { json, text, type Item } from "./encoding.js";
import { getItem } from "./items.js";
import { joined, part, timeKey } from "./queue-keys.js";
import type { RunTick } from "./queue-rows.js";
import { runPartition, type Key } from "./table.js";

/** The request that started a run. */
export interface StartFacts {
  readonly tenantId: string;
  readonly keys: readonly string[];
  readonly tick: RunTick | null;
}

export const startKey = (key: string): Key => ({ pk: `START#key#${part(key)}`, sk: "-" });
const startFactsKey = (runId: string): Key => ({ pk: runPartition(runId), sk: "A#start" });
export const ticksPartition = (tenantId: string, scheduleId: string): string =>
  `TICK#all#${joined(part(tenantId), part(scheduleId))}`;
export const tickKey = (tenantId: string, { scheduleId, tick }: RunTick): Key => ({
  pk: ticksPartition(tenantId, scheduleId),
  sk: tick,
});

/** Deleted runs whose start keys are kept, by the time of their deletion. */
export const DELETED = "START#deleted";

export interface KnownStart {
  readonly runId: string;
  readonly inputHash: string;
}

export function toKnownStart(item: Item): KnownStart {
  return { runId: text(item, "runId"), inputHash: text(item, "inputHash") };
}

export function startActions(run: KnownStart, facts: StartFacts): WriteAction[] {
  const { runId, inputHash } = run;
  const { tenantId, keys, tick } = facts;
  return [
    ...keys.map((key): WriteAction => ({ kind: "put", item: { ...startKey(key), runId, inputHash }, when: absent })),
    { kind: "put", item: { ...startFactsKey(runId), d: JSON.stringify(facts) } },
    ...(tick === null ? [] : [{ kind: "put", item: { ...tickKey(tenantId, tick), runId }, when: absent } as const]),
  ];
}

async function factsOf(client: DynamoClient, runId: string): Promise<StartFacts | null> {
  const item = await getItem(client, startFactsKey(runId));
  return item === null ? null : (json(item, "d") as StartFacts);
}

/** The schedule and time that a run was started for. */
export async function tickOf(client: DynamoClient, runId: string): Promise<RunTick | null> {
  return (await factsOf(client, runId))?.tick ?? null;
}

/** Writes of the transaction that deletes a run: `purge` removes its start keys and its tick later. */
export async function noteDeleted(client: DynamoClient, runId: string, now: number): Promise<readonly WriteAction[]> {
  const facts = await factsOf(client, runId);
  if (facts === null) return [];
  const key: Key = { pk: DELETED, sk: joined(timeKey(now), part(runId)) };
  return [{ kind: "put", item: { ...key, runId, at: now, d: JSON.stringify(facts) } }];
}

/** Replaces the hash of the input, which could confirm a guess. */
export async function eraseStartHash(client: DynamoClient, runId: string, inputHash: string): Promise<void> {
  const facts = await factsOf(client, runId);
  for (const key of facts?.keys ?? []) {
    const erased: WriteAction = { kind: "update", key: startKey(key), set: { inputHash }, when: equals({ runId }) };
    await tryTransact(client, [erased]);
  }
}
