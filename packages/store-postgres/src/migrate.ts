/**
 * Bringing the schema up to date. Migrations expand first and contract later, so that code of the last and of this
 * version run side by side; each declares the oldest code it still allows.
 */
import { readdir, readFile } from "node:fs/promises";
import { InputError, StopError } from "@runledger/contracts";
import { firstOf, type Database, type Row, type Session } from "./client.js";

export interface Migration {
  readonly id: number;
  readonly name: string;
  /** Code that knows fewer migrations than this must not touch the database any more. */
  readonly oldestCode: number;
  readonly sql: string;
}

const folder = new URL("../migrations/", import.meta.url);

/** All who migrate take this lock; it ends with its transaction, so that a pooler cannot leak it. */
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

/** Everything that `migrate` would run on an empty database, for review. */
export async function migrationScript(): Promise<string> {
  return (await loadMigrations()).map(({ name, sql }) => `-- ${name}\n${sql}`).join("\n");
}

export interface MigrateOptions {
  /** Hash partitions of the log, chosen when the schema is made (A2). 0 = none. */
  readonly partitions: number;
}

/** Applies what is missing, in one transaction, safely from any number of processes at once. */
export async function migrate(
  db: Database,
  migrations: readonly Migration[],
  { partitions }: MigrateOptions,
): Promise<void> {
  if (!Number.isInteger(partitions) || partitions < 0 || partitions > 256) {
    throw new InputError("OPTION_INVALID", "partitions", "must be a whole number from 0 to 256.");
  }
  await db.transaction(async (session) => {
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
    await run(session, `SET LOCAL runledger.partitions = '${partitions}'`);
    for (const migration of migrations.slice(applied.length)) await apply(session, migration);
  });
}

/** Refuses a database that this code does not fit, without changing it. */
export async function checkSchema(db: Database, migrations: readonly Migration[]): Promise<void> {
  const [exists] = firstOf(
    await db.read({ name: "schema_exists", text: "SELECT to_regclass('runledger.migrations')" }),
  );
  const applied = exists === null ? [] : toApplied(await db.read({ name: "schema_applied", text: appliedText }));
  checkAllowed(applied, migrations);
  if (applied.length >= migrations.length) return;
  throw new StopError(
    "SCHEMA_BEHIND",
    `The database is at schema ${applied.length}; this version needs ${migrations.length}. Open it once with migrate: true.`,
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

async function apply(session: Session, { id, name, oldestCode, sql }: Migration): Promise<void> {
  await run(session, sql);
  await session.run(
    { name: "migration_done", text: "INSERT INTO runledger.migrations (id, name, oldest_code) VALUES ($1, $2, $3)" },
    [id, name, oldestCode],
  );
}

/** Without values, so that a file of several statements may be sent as it is. */
function run(session: Session, text: string): Promise<Row[]> {
  return session.run({ name: "", text });
}
