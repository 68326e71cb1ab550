/**
 * Brings the schema up to date. In Snowflake a DDL statement commits by itself, so each can be repeated, and a
 * migration is recorded after all of its statements.
 */
import { readdir, readFile } from "node:fs/promises";
import { StopError } from "@runledger/contracts";
import type { Database, Row } from "./client.js";
import type { Shape } from "./connection-url.js";

interface Migration {
  readonly id: number;
  readonly name: string;
  /** Code that knows fewer migrations than this must not use the schema. */
  readonly oldestCode: number;
  readonly sql: string;
}

const folder = new URL("../migrations/", import.meta.url);

const ledger = `CREATE TABLE IF NOT EXISTS LEDGER_MIGRATIONS (
  ID NUMBER(38,0) NOT NULL, NAME STRING NOT NULL, OLDEST_CODE NUMBER(38,0) NOT NULL, SHAPE STRING NOT NULL,
  APPLIED_AT TIMESTAMP_NTZ DEFAULT CURRENT_TIMESTAMP()
)`;

/** Loads the migrations of a shape: `0001-ledger.hybrid.sql` is for one shape, `0002-views.sql` for both. */
async function loadMigrations(shape: Shape): Promise<readonly Migration[]> {
  const other = shape === "hybrid" ? "standard" : "hybrid";
  const files = (await readdir(folder)).filter((name) => name.endsWith(".sql") && !name.endsWith(`.${other}.sql`));
  return Promise.all(files.sort().map(loadMigration));
}

async function loadMigration(file: string): Promise<Migration> {
  const sql = await readFile(new URL(file, folder), "utf8");
  const oldestCode = Number(/^-- oldest-code: (\d+)$/m.exec(sql)?.[1]);
  return { id: Number.parseInt(file, 10), name: file.replace(/(\.\w+)?\.sql$/, ""), oldestCode, sql };
}

/** Returns all SQL that `migrate` would run on an empty schema, for review. */
export async function migrationScript(shape: Shape): Promise<string> {
  const migrations = await loadMigrations(shape);
  return [ledger, ...migrations.map((migration) => scriptOf(migration, shape))].map(ended).join("\n");
}

function scriptOf({ id, name, oldestCode, sql }: Migration, shape: Shape): string {
  const note = `SELECT ${id}, '${name}', ${oldestCode}, '${shape}'`;
  return `${ended(sql)}INSERT INTO LEDGER_MIGRATIONS (ID, NAME, OLDEST_CODE, SHAPE) ${note}`;
}

function ended(sql: string): string {
  return `${sql.trim().replace(/;$/, "")};\n`;
}

export async function migrate(db: Database, shape: Shape): Promise<void> {
  const migrations = await loadMigrations(shape);
  await db.script(ledger);
  const applied = await readApplied(db);
  checkAllowed(applied, migrations, shape);
  const missing = migrations.filter(({ id }) => !applied.some((done) => done.id === id));
  for (const migration of missing) await db.script(scriptOf(migration, shape));
}

/** Throws if this code does not fit the schema. Changes nothing. */
export async function checkSchema(db: Database, shape: Shape): Promise<void> {
  const migrations = await loadMigrations(shape);
  const there = await db.read({ text: exists });
  const applied = there.length === 0 ? [] : await readApplied(db);
  checkAllowed(applied, migrations, shape);
  if (applied.length >= migrations.length) return;
  throw new StopError(
    "SCHEMA_BEHIND",
    `The schema is at ${applied.length}; this version needs ${migrations.length}. Open it once with migrate: true, or run the output of runledger store migrate --print.`,
  );
}

const exists = `
SELECT 1 FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = CURRENT_SCHEMA() AND TABLE_NAME = 'LEDGER_MIGRATIONS'`;

interface Applied {
  readonly id: number;
  readonly oldestCode: number;
  readonly shape: Shape;
}

async function readApplied(db: Database): Promise<Applied[]> {
  const rows = await db.read({ text: "SELECT DISTINCT ID, OLDEST_CODE, SHAPE FROM LEDGER_MIGRATIONS ORDER BY ID" });
  return rows.map(([id, oldestCode, shape]: Row) => ({
    id: id as number,
    oldestCode: oldestCode as number,
    shape: shape as Shape,
  }));
}

function checkAllowed(applied: readonly Applied[], migrations: readonly Migration[], shape: Shape): void {
  const other = applied.find((done) => done.shape !== shape);
  if (other !== undefined)
    throw new StopError("STORE_UNSUITABLE", `The schema has ${other.shape} tables; open it with shape=${other.shape}.`);
  const needed = Math.max(0, ...applied.map(({ oldestCode }) => oldestCode));
  if (needed <= migrations.length) return;
  throw new StopError(
    "SCHEMA_TOO_NEW",
    `The schema is at ${applied.length} and needs code that knows ${needed}; this version knows ${migrations.length}. Upgrade @runledger/store-snowflake.`,
  );
}
