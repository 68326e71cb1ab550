/** The narrow binding to the driver: everything else in this package speaks to a `Database`. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { Pool, types, type PoolClient, type QueryArrayConfig } from "pg";
import { RunledgerError } from "@runledger/contracts";
import { isoInstant } from "./instants.js";
import { isSqlState, readError, writeError } from "./errors.js";

/** A statement and its name. Named statements are prepared once per connection, where that is safe. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export type Row = readonly unknown[];

export interface Session {
  run(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
}

export interface Database {
  /** Runs a statement that changes nothing. A lost connection means: try again. */
  read(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs a statement that commits by itself. A lost connection means: the outcome is unknown (P7). */
  write(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs several statements that commit together. */
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** Everybody who has asked is answered first. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly url: string;
  readonly poolSize: number;
  /** How long a call waits for a free connection before it says STORE_BUSY. */
  readonly connectTimeoutMs: number;
}

const INT8 = 20;
const TIMESTAMPTZ = 1184;

type Parser = (text: string) => unknown;

/** bigint and timestamptz arrive as text; they are parsed once, here, for this package's connections only. */
const own: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [INT8, Number],
  [TIMESTAMPTZ, isoInstant],
]);
const parsers = {
  getTypeParser: (oid: number, format: "text" | "binary" = "text"): Parser =>
    own.get(oid) ?? (types.getTypeParser as (oid: number, format: string) => Parser)(oid, format),
};

export async function connect(options: ConnectOptions): Promise<Database> {
  const pool = new Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: options.connectTimeoutMs,
    keepAlive: true,
    types: parsers,
  });
  // A broken connection tells whoever waits for its answer; the event besides would end the process.
  pool.on("error", ignore).on("connect", (client) => client.on("error", ignore));
  try {
    return database(pool, await speaksDirectly(pool));
  } catch (error) {
    await pool.end();
    throw readError(error);
  }
}

/**
 * A transaction pooler hands each transaction to any server connection: there, named statements break. Its fake
 * process id gives it away.
 */
async function speaksDirectly(pool: Pool): Promise<boolean> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    return rows[0]?.pid === (client as PoolClient & { processID?: number }).processID;
  } finally {
    client.release();
  }
}

function database(pool: Pool, prepare: boolean): Database {
  const config = ({ name, text }: Statement, values: readonly unknown[] = []): QueryArrayConfig => ({
    text,
    values: [...values],
    rowMode: "array",
    ...(prepare ? { name } : {}),
  });
  const asked = { calls: 0, onIdle: (): void => {} };
  const connected = async <T>(work: (client: PoolClient) => Promise<T>): Promise<T> => {
    asked.calls++;
    try {
      return await work(await pool.connect().catch(rethrow(readError))); // nothing was sent yet
    } finally {
      if (--asked.calls === 0) asked.onIdle();
    }
  };
  return {
    read: (statement, values) =>
      connected((client) => useOnce(client, config(statement, values)).catch(rethrow(readError))),
    write: (statement, values) =>
      connected((client) => useOnce(client, config(statement, values)).catch(rethrow(writeError))),
    transaction: (work) =>
      connected((client) =>
        inTransaction(client, (statement, values) => useOften(client, config(statement, values)), work),
      ),
    // A pool that ends forgets who waits for a connection, and refuses those who gather and have not asked for one yet.
    close: async () => {
      await nextTurn();
      while (asked.calls > 0) {
        await new Promise<void>((resolve) => (asked.onIdle = resolve));
        await nextTurn(); // an answer may have led to another question
      }
      await pool.end();
    },
  };
}

async function useOften(client: PoolClient, config: QueryArrayConfig): Promise<Row[]> {
  return (await client.query<unknown[]>(config)).rows;
}

async function useOnce(client: PoolClient, config: QueryArrayConfig): Promise<Row[]> {
  try {
    const rows = await useOften(client, config);
    client.release();
    return rows;
  } catch (error) {
    client.release(isBroken(error));
    throw error;
  }
}

/**
 * A client that stands still between two statements (stopped, suspended, cut off) holds its locks for as long as its
 * connection seems to live. After this long the server gives up on it, so that others can take over what it locked.
 */
const BEGIN = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '2s'";

async function inTransaction<T>(
  client: PoolClient,
  run: Session["run"],
  work: (session: Session) => Promise<T>,
): Promise<T> {
  let committing = false;
  try {
    await client.query(BEGIN);
    const result = await work({ run });
    committing = true;
    await client.query("COMMIT");
    client.release();
    return result;
  } catch (error) {
    const broken = isBroken(error) || !(await rolledBack(client));
    client.release(broken);
    throw committing ? writeError(error) : readError(error); // before COMMIT was sent nothing can be stored
  }
}

async function rolledBack(client: PoolClient): Promise<boolean> {
  return client.query("ROLLBACK").then(
    () => true,
    () => false,
  );
}

/** An error without an SQLSTATE, or one that ends the session, leaves a connection nobody can use. */
function isBroken(error: unknown): boolean {
  if (error instanceof RunledgerError) return false; // thrown by the work itself
  const { code = "", severity = "FATAL" } = error as { code?: string; severity?: string };
  return !isSqlState(code) || severity !== "ERROR";
}

function rethrow(translate: (error: unknown) => unknown): (error: unknown) => never {
  return (error) => {
    throw translate(error);
  };
}

/** The row of a statement that always gives one. */
export function firstOf(rows: readonly Row[]): Row {
  return rows[0]!;
}

function ignore(): void {}
