/**
 * Brings the schema up to date. Migrations expand first and contract later, so that the previous and the current
 * version run side by side. Each migration declares the oldest code that it still allows.
 */
import { readdir, readFile } from "node:fs/promises";
import { StopError } from "@runledger/contracts";
import { firstOf, type Database, type Row, type Session } from "./client.js";
import { authorityFor, authoritySetting, FENCE_OFF_OLD_CODE, type AppendAuthority } from "./authority.js";
import { checkPartitions, partitionsFor } from "./partitions.js";

export interface Migration {
  readonly id: number;
  readonly name: string;
  /** Code that knows fewer migrations than this must not use the database. */
  readonly oldestCode: number;
  readonly sql: string;
}

const folder = new URL("../migrations/", import.meta.url);

/**
 * Every process that migrates takes this lock. It is released with its transaction, so that a pooler cannot leak it.
 */
const LOCK = 7_370_010;

export async function loadMigrations(): Promise<readonly Migration[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  return Promise.all(files.map(loadMigration));
}

async function loadMigration(file: string): Promise<Migration> {
  const sql = await readFile(new URL(file, folder), "utf8");
  const oldestCode = Number(/^-- oldest-code: (\d+)$/m.exec(sql)?.[1]);
  return { id: Number.parseInt(file, 10), name: file.replace(/\.sql$/, ""), oldestCode, sql };
}

/**
 * Returns all SQL that `migrate` would run on an empty database, for review. `url` may name hash partitions and an append
 * authority.
 */
export async function migrationScript(url = ""): Promise<string> {
  const partitions = partitionsFor(url, undefined) ?? 0;
  const { authority } = authorityFor(url, {});
  const settings = [
    ...(partitions === 0 ? [] : [partitionSetting("SET", partitions)]),
    ...(authority === null || authority === "head" ? [] : [authoritySetting("SET", authority)]),
  ];
  return (
    settings.map((setting) => `${setting};\n\n`).join("") +
    (await loadMigrations()).map(({ name, sql }) => `-- ${name}\n${sql}`).join("\n")
  );
}

/** The migration that creates the log reads this setting. */
function partitionSetting(set: "SET" | "SET LOCAL", partitions: number): string {
  return `${set} runledger.partitions = '${partitions}'`;
}

export interface MigrateOptions {
  /** Number of hash partitions of the log, chosen when the schema is created (A2). `null` accepts any number, and creates none. */
  readonly partitions: number | null;
  /** Numbers the events, chosen when the schema is created (P10). `null` accepts any, and creates `head`. */
  readonly authority: AppendAuthority | null;
}

/** Applies missing migrations in one transaction. Any number of processes can call it at once. */
export async function migrate(
  db: Database,
  migrations: readonly Migration[],
  { partitions, authority }: MigrateOptions,
): Promise<void> {
  const apply = async (session: Session): Promise<void> => {
    await run(session, `SELECT pg_advisory_xact_lock(${LOCK})`);
    await run(session, "CREATE SCHEMA IF NOT EXISTS runledger");
    await run(
      session,
      `CREATE TABLE IF NOT EXISTS runledger.migrations (
         id integer PRIMARY KEY, name text NOT NULL, oldest_code integer NOT NULL,
         applied_at timestamptz(3) NOT NULL DEFAULT clock_timestamp())`,
    );
    const applied = toApplied(await run(session, appliedText));
    checkAllowed(applied, migrations);
    await run(session, partitionSetting("SET LOCAL", partitions ?? 0));
    const isNew = applied.length === 0; // an existing log has been numbered by its head
    await run(session, authoritySetting("SET LOCAL", isNew ? (authority ?? "head") : "head"));
    for (const migration of migrations.slice(applied.length)) await applyOne(session, migration);
    if (isNew) await run(session, FENCE_OFF_OLD_CODE);
    if (partitions !== null) await checkPartitions(session, partitions);
  };
  await db.transaction(apply, { patient: true });
}

/** Throws if this code does not fit the database. Changes nothing. */
export async function checkSchema(db: Database, migrations: readonly Migration[]): Promise<void> {
  const [exists] = firstOf(
    await db.read({ name: "schema_exists", text: "SELECT to_regclass('runledger.migrations')" }),
  );
  const applied = exists === null ? [] : toApplied(await db.read({ name: "schema_applied", text: appliedText }));
  checkAllowed(applied, migrations);
  if (applied.length >= migrations.length) return;
  throw new StopError(
    "SCHEMA_BEHIND",
    `The database is at schema ${applied.length}; this version needs schema ${migrations.length}. Open it once with migrate: true.`,
  );
}

interface Applied {
  readonly id: number;
  readonly oldestCode: number;
}

const appliedText = "SELECT id, oldest_code FROM runledger.migrations ORDER BY id";

function toApplied(rows: readonly Row[]): Applied[] {
  return rows.map(([id, oldestCode]) => ({ id: id as number, oldestCode: oldestCode as number }));
}

function checkAllowed(applied: readonly Applied[], migrations: readonly Migration[]): void {
  const needed = Math.max(0, ...applied.map(({ oldestCode }) => oldestCode));
  if (needed <= migrations.length) return;
  throw new StopError(
    "SCHEMA_TOO_NEW",
    `The database is at schema ${applied.length} and needs code that knows schema ${needed}; this version knows ${migrations.length}. Upgrade @runledger/store-postgres.`,
  );
}

async function applyOne(session: Session, { id, name, oldestCode, sql }: Migration): Promise<void> {
  await run(session, sql);
  await session.run(
    { name: "migration_done", text: "INSERT INTO runledger.migrations (id, name, oldest_code) VALUES ($1, $2, $3)" },
    [id, name, oldestCode],
  );
}

/** Sends no values, so that a file of several statements can be sent unchanged. */
function run(session: Session, text: string): Promise<Row[]> {
  return session.run({ name: "", text });
}
