import type { RunHead } from "@runledger/contracts";
import type { Tenant } from "@runledger/core/store";
import { iso } from "./clock.js";
import type { DynamoClient } from "./client.js";
import type { Db } from "./db.js";
import { number, numberOrNull, text, textOrNull, type Item } from "./encoding.js";
import { getItem, getItems } from "./items.js";
import { listAcross } from "./shards.js";
import { headKey } from "./table.js";

/** A run's head as it is stored. Every append of the run requires that it is unchanged (P2). */
export interface HeadItem {
  readonly runId: string;
  readonly tenantId: string;
  readonly headSeq: number;
  readonly leaseEpoch: number;
  readonly leaseOwner: string | null;
  readonly persistedAt: number;
  readonly archived: boolean;
  /** Seq of the stored checkpoint. -1 if there is none. */
  readonly checkpointSeq: number;
  /** The place of the last change in the feed. */
  readonly lane: number;
  readonly laneN: number;
}

export function toHeadItem(item: Item): HeadItem {
  return {
    runId: text(item, "runId"),
    tenantId: text(item, "tenantId"),
    headSeq: number(item, "headSeq"),
    leaseEpoch: number(item, "leaseEpoch"),
    leaseOwner: textOrNull(item, "leaseOwner"),
    persistedAt: number(item, "persistedAt"),
    archived: item["archived"] === true,
    checkpointSeq: numberOrNull(item, "cpSeq") ?? -1,
    lane: number(item, "lane"),
    laneN: number(item, "laneN"),
  };
}

export async function readHead(client: DynamoClient, runId: string): Promise<HeadItem | null> {
  const item = await getItem(client, headKey(runId));
  return item === null ? null : toHeadItem(item);
}

/** Returns the heads of these runs in the same order, `null` for absent ones. */
export async function readHeads(client: DynamoClient, runIds: readonly string[]): Promise<(HeadItem | null)[]> {
  const items = await getItems(client, runIds.map(headKey));
  return items.map((item) => (item === null ? null : toHeadItem(item)));
}

/** Runs of other tenants do not exist for a caller that has a tenant. */
export function isVisible(head: HeadItem | null, tenantId: Tenant): head is HeadItem {
  return head !== null && (tenantId === undefined || head.tenantId === tenantId);
}

function toHead({ runId, tenantId, headSeq, leaseEpoch, leaseOwner, persistedAt, archived }: HeadItem): RunHead {
  return { runId, tenantId, headSeq, leaseEpoch, leaseOwner, persistedAt: iso(persistedAt), archived };
}

export async function fetchHeads(
  { client }: Db,
  params: { readonly runIds: readonly string[]; readonly tenantId: Tenant },
): Promise<RunHead[]> {
  const heads = await readHeads(client, [...new Set(params.runIds)].sort(compareIds));
  return heads.filter((head) => isVisible(head, params.tenantId)).map(toHead);
}

export async function listHeads(
  { client }: Db,
  params: {
    readonly afterRunId: string;
    readonly limit: number;
    readonly archived: boolean;
    readonly tenantId: Tenant;
  },
): Promise<RunHead[]> {
  const { afterRunId, limit, archived, tenantId } = params;
  const found: RunHead[] = [];
  for await (const runIds of listAcross(client, "HEADS", afterRunId, limit)) {
    const heads = (await readHeads(client, runIds)).filter((head) => isVisible(head, tenantId));
    for (const head of heads) if (archived || !head.archived) found.push(toHead(head));
    if (found.length >= limit) return found.slice(0, limit);
  }
  return found;
}

/** Compares UTF-8 bytes, as DynamoDB does. JavaScript's own order differs beyond the basic plane. */
export function compareIds(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
