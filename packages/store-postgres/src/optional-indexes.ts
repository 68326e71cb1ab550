/** Indexes for your own queries on the log (A3). Appends continue while they are built. */
import { InputError } from "@runledger/contracts";
import { connect, type Database, type Row } from "./client.js";
import { timeLimits } from "./time-limits.js";

const INDEXES = {
  event_type: "USING btree (event_type, persisted_at)",
  event_data: "USING gin (event_data)",
} as const;

/** `event_type` finds events by type and time, `event_data` by their payload. */
type OptionalIndex = keyof typeof INDEXES;

const HOUR_MS = 3_600_000;

/** Creates the indexes `event_type` and `event_data` that do not exist. The schema must exist. It can be repeated after an interruption. */
export async function createIndexes(url: string, names: readonly string[]): Promise<void> {
  const known = names.map(checkName);
  const limits = timeLimits(url, { statementTimeoutMs: 24 * HOUR_MS });
  const db = await connect({ url, poolSize: 1, connectTimeoutMs: 30_000, ...limits });
  try {
    for (const name of known) await createIndex(db, name);
  } finally {
    await db.close();
  }
}

function checkName(name: string): OptionalIndex {
  if (Object.hasOwn(INDEXES, name)) return name as OptionalIndex;
  const all = Object.keys(INDEXES).join(", ");
  throw new InputError("OPTION_INVALID", "index", `${name} does not exist. Use one of ${all}.`);
}

/** PostgreSQL builds an index without locking out appends only on a table without partitions, so each part gets its own. */
async function createIndex(db: Database, name: OptionalIndex): Promise<void> {
  const parts = (await db.read(PARTS)).map(([part]) => String(part));
  for (const table of parts.length === 0 ? ["run_events"] : parts) await buildOne(db, table, name);
  if (parts.length === 0) return;
  await execute(
    db,
    `CREATE INDEX IF NOT EXISTS ${indexOf("run_events", name)} ON ONLY runledger.run_events ${INDEXES[name]}`,
  );
  for (const part of parts)
    await execute(
      db,
      `ALTER INDEX runledger.${indexOf("run_events", name)} ATTACH PARTITION runledger.${indexOf(part, name)}`,
    );
}

const PARTS = {
  name: "index_parts",
  text: `SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'runledger.run_events'::regclass ORDER BY c.relname`,
};

const INVALID = {
  name: "index_invalid",
  text: "SELECT 1 FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid",
};

/** An interrupted build leaves an invalid index behind. */
async function buildOne(db: Database, table: string, name: OptionalIndex): Promise<void> {
  const index = indexOf(table, name);
  const leftOver = await db.read(INVALID, [`runledger.${index}`]);
  if (leftOver.length > 0) await execute(db, `DROP INDEX CONCURRENTLY runledger.${index}`);
  await execute(db, `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${index} ON runledger.${table} ${INDEXES[name]}`);
}

function indexOf(table: string, name: OptionalIndex): string {
  return `${table}_by_${name}`;
}

function execute(db: Database, text: string): Promise<Row[]> {
  return db.write({ name: "", text });
}
