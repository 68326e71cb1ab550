/**
 * The recent alerts of all processes. An alert has two items with the same sort key: one in the partition of its tenant,
 * where alerts are counted and forgotten, and one in the partition that operators of all tenants read.
 */
import { ALERT_DAYS, KEPT_ALERTS, omitUndefined, type AlertStore, type RecordedAlert } from "@runledger/contracts";
import type { Db } from "./db.js";
import { newDocument, tryTransact } from "./documents.js";
import { number, text, type Item } from "./encoding.js";
import { readHeads } from "./heads.js";
import { deleteItems, queryAll, queryPages } from "./items.js";
import { TTL } from "./migrate.js";
import { joined, part } from "./queue-keys.js";

const ALL = "ALERT#all";
const DAY_SECONDS = 86_400;
/** Alerts that concern all tenants have no tenant. */
const partition = (tenantId: string | undefined): string => `ALERT#tenant#${part(tenantId ?? "")}`;
const sortKey = ({ at, alertId }: RecordedAlert): string => joined(at, part(alertId));

export function alerts(db: Db): AlertStore {
  const { client } = db;
  return {
    recordAlerts: async (recorded) => {
      const owned = await withTenants(db, recorded);
      await Promise.all(owned.map((alert) => record(db, alert)));
      await Promise.all([...new Set(owned.map(({ tenantId }) => tenantId))].map((tenantId) => forget(db, tenantId)));
    },
    listAlerts: async ({ tenantId, withinMs, limit }) => {
      const since = client.clock.now() - withinMs;
      if (tenantId === undefined) return await list(db, ALL, { since, limit });
      const own = await list(db, partition(tenantId), { since, limit });
      const shared = await list(db, partition(undefined), {
        since,
        limit,
        selects: ({ runId }) => runId === undefined,
      });
      return [...own, ...shared].sort((a, b) => (sortKey(a) < sortKey(b) ? 1 : -1)).slice(0, limit);
    },
  };
}

/** An alert about a run belongs to the tenant of the run. */
async function withTenants({ client }: Db, recorded: readonly RecordedAlert[]): Promise<RecordedAlert[]> {
  const runIds = [...new Set(recorded.flatMap(({ runId }) => runId ?? []))];
  const heads = await readHeads(client, runIds);
  const tenants = new Map(heads.flatMap((head, index) => (head === null ? [] : [[runIds[index]!, head.tenantId]])));
  return recorded.map((alert) => ({
    ...alert,
    ...omitUndefined({ tenantId: tenants.get(alert.runId ?? "") ?? alert.tenantId }),
  }));
}

async function record({ client }: Db, alert: RecordedAlert): Promise<void> {
  const recordedAt = client.clock.now();
  const more = { recordedAt, [TTL]: Math.ceil(recordedAt / 1000) + ALERT_DAYS * DAY_SECONDS };
  const keys = [partition(alert.tenantId), ALL].map((pk) => ({ pk, sk: sortKey(alert) }));
  await tryTransact(
    client,
    keys.map((key) => newDocument(key, alert, more)),
  ); // if the alert is already recorded, nothing changes
}

/** Deletes all but the newest alerts of a tenant. */
async function forget({ client }: Db, tenantId: string | undefined): Promise<void> {
  const pk = partition(tenantId);
  const items = await queryAll(client, { pk, descending: true });
  const surplus = items.slice(KEPT_ALERTS).map((item) => text(item, "sk"));
  await deleteItems(
    client,
    surplus.flatMap((sk) => [pk, ALL].map((each) => ({ pk: each, sk }))),
  );
}

interface Selection {
  readonly since: number;
  readonly limit: number;
  readonly selects?: (alert: RecordedAlert) => boolean;
}

async function list({ client }: Db, pk: string, { since, limit, selects }: Selection): Promise<RecordedAlert[]> {
  const found: RecordedAlert[] = [];
  for await (const items of queryPages(client, { pk, descending: true })) {
    const recent = items.filter((item) => number(item, "recordedAt") >= since).map(toAlert);
    found.push(...recent.filter((alert) => selects?.(alert) ?? true));
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

function toAlert(item: Item): RecordedAlert {
  return JSON.parse(text(item, "d")) as RecordedAlert;
}
