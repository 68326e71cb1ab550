import {
  ALL_TENANTS,
  AUDIT_START,
  chainAudit,
  prunedEntry,
  type Audit,
  type AuditChain,
  type AuditEntry,
  type StoredAuditEntry,
} from "@runledger/contracts";
import type { WriteAction } from "./actions.js";
import type { DynamoClient } from "./client.js";
import type { Db } from "./db.js";
import { iso } from "./clock.js";
import { changedDocument, newDocument, readDocument, tryTransact, untilCurrent } from "./documents.js";
import { text, type Item } from "./encoding.js";
import { chunked, deleteItems, LAST, queryPages } from "./items.js";
import { padded, type Key } from "./table.js";

/** Each item has several entries under the number of its first, so that a call of any size is one transaction. */
const ENTRIES = "AUDIT#entries";
const ENTRIES_PER_ITEM = 20;
const chainKey: Key = { pk: "AUDIT#chain", sk: "-" };

export function audit({ client }: Db): Audit {
  return {
    recordAudit: (entries) => addEntries(client, entries),
    listAudit: ({ tenantId, beforeId = Infinity, limit = 100 }) =>
      readEntries(client, {
        descending: true,
        limit,
        selects: (entry) => isOf(tenantId, entry) && entry.auditId < beforeId,
      }),
    readAudit: ({ tenantId, afterId = 0, limit = 1000 }) =>
      readEntries(client, { afterId, limit, selects: (entry) => isOf(tenantId, entry) && entry.auditId > afterId }),
    auditChain: async () => (await readDocument<AuditChain>(client, chainKey))?.value ?? NO_ENTRIES,
    pruneAudit: ({ olderThanMs }) => pruneAudit(client, olderThanMs),
  };
}

const NO_ENTRIES: AuditChain = { base: AUDIT_START, head: AUDIT_START };

const isOf = (tenantId: string, entry: AuditEntry): boolean => tenantId === ALL_TENANTS || entry.tenantId === tenantId;

/** The chain's end is replaced with the entries, so concurrent writers extend it one after the other. */
function addEntries(client: DynamoClient, entries: readonly AuditEntry[]): Promise<void> {
  return untilCurrent(async () => {
    const stored = await readDocument<AuditChain>(client, chainKey);
    const { base, head } = stored?.value ?? NO_ENTRIES;
    const isDone = await tryTransact(client, extension(client, stored?.revision ?? null, { base, head }, entries));
    return isDone ? null : undefined;
  }).then(() => undefined);
}

function extension(
  client: DynamoClient,
  revision: number | null,
  { base, head }: AuditChain,
  entries: readonly AuditEntry[],
): WriteAction[] {
  const chained = chainAudit(head, iso(client.clock.now()), entries);
  const last = chained.at(-1);
  const chain: AuditChain = { base, head: last === undefined ? head : { seq: last.chainSeq, hash: last.hash } };
  return [
    revision === null ? newDocument(chainKey, chain) : changedDocument(chainKey, chain, revision),
    ...chunked(chained, ENTRIES_PER_ITEM).map((some): WriteAction => {
      const stored = some.map((entry): StoredAuditEntry => ({ ...entry, auditId: entry.chainSeq }));
      return { kind: "put", item: { pk: ENTRIES, sk: padded(some[0]!.chainSeq), d: JSON.stringify(stored) } };
    }),
  ];
}

const entriesOf = (item: Item): StoredAuditEntry[] => JSON.parse(text(item, "d")) as StoredAuditEntry[];

interface EntryPage {
  readonly afterId?: number;
  readonly descending?: boolean;
  readonly limit: number;
  readonly selects: (entry: StoredAuditEntry) => boolean;
}

async function readEntries(client: DynamoClient, page: EntryPage): Promise<StoredAuditEntry[]> {
  const { afterId = 0, descending = false, limit, selects } = page;
  const from = padded(Math.max(0, afterId - ENTRIES_PER_ITEM + 1)); // the item of the next entry may start before it
  const found: StoredAuditEntry[] = [];
  for await (const items of queryPages(client, { pk: ENTRIES, from, to: LAST, descending })) {
    for (const item of items) {
      const entries = entriesOf(item).filter(selects);
      found.push(...(descending ? entries.reverse() : entries));
    }
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** Moves the base first, and then deletes: an interrupted call leaves entries before the base, which the next one deletes. */
function pruneAudit(client: DynamoClient, olderThanMs: number): Promise<number> {
  return untilCurrent(async () => {
    const stored = await readDocument<AuditChain>(client, chainKey);
    if (stored === null) return 0;
    const { base, head } = stored.value;
    const old = await oldItems(client, iso(client.clock.now() - olderThanMs));
    const last = old.flatMap(entriesOf).at(-1);
    if (last === undefined) return 0;
    const keys = old.map(({ pk, sk }) => ({ pk: pk as string, sk: sk as string }));
    if (last.chainSeq! <= base.seq) return deleteItems(client, keys).then(() => 0);
    const count = last.chainSeq! - base.seq;
    const next = { seq: last.chainSeq!, hash: last.hash! };
    const actions = extension(client, stored.revision, { base: next, head }, [prunedEntry(next, count)]);
    if (!(await tryTransact(client, actions))) return undefined;
    await deleteItems(client, keys);
    return count;
  });
}

/** Returns the items whose entries are all older. Entries of one item were recorded together. */
async function oldItems(client: DynamoClient, before: string): Promise<Item[]> {
  const old: Item[] = [];
  for await (const items of queryPages(client, { pk: ENTRIES })) {
    const recent = items.findIndex((item) => entriesOf(item)[0]!.at >= before);
    old.push(...(recent === -1 ? items : items.slice(0, recent)));
    if (recent !== -1) break;
  }
  return old;
}
