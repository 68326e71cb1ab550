/** The narrow binding to the driver. Everything else in this package uses a `Database`. */
import { types, type QueryArrayConfig } from "pg";
import type { RunledgerError } from "@runledger/contracts";
import { ServerConnection } from "./connection.js";
import { connectError, readError, writeError } from "./errors.js";
import { isoInstant } from "./instants.js";
import { WatchedPool, type PoolClient } from "./pool.js";
import { Watch, type Call } from "./watch.js";

/** A statement with its name. Named statements are prepared once per connection, unless a pooler forbids it. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** The time limit that applies. Default `statement`. */
  readonly limit?: keyof Limits;
  /** Lowers the limit. */
  readonly atMostMs?: number;
}

/** Time limits in milliseconds. */
export interface Limits {
  readonly statement: number;
  /** For appends, starts, claims and heartbeats. */
  readonly append: number;
  /** For statements that may read all rows of a table. */
  readonly patient: number;
}

export type Row = readonly unknown[];

export interface Session {
  run(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
}

export interface Calls {
  /** Runs a statement that changes nothing. After a lost connection the caller can retry. */
  read(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs a statement that commits by itself. After a lost connection its outcome is unknown (P7). */
  write(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
}

interface TransactionOptions {
  /** `true` if a statement may take long, as one of a migration. */
  readonly patient?: boolean;
  /** The first statement, for large values. It locks nothing, so a slow link may take its time. */
  readonly upload?: { readonly statement: Statement; readonly values: readonly unknown[] };
}

export interface Database extends Calls {
  /** Runs several statements that commit together. */
  transaction<T>(work: (session: Session) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Connections that other calls cannot occupy: for heartbeats and claims, which must not be late. */
  readonly reserved: Calls;
  /** Waits for all calls in progress. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly url: string;
  readonly poolSize: number;
  /** How long a call waits for a free connection before it fails with STORE_BUSY. */
  readonly connectTimeoutMs: number;
  readonly limits: Limits;
  /** How long a server may be silent before its connections are given up. */
  readonly silenceMs: number;
}

const INT8 = 20;
const TIMESTAMPTZ = 1184;
/** A heartbeat does not wait for a claim. */
const RESERVED = 2;
/** The server ends a statement at its limit. The client waits this much longer, so that it reads why. */
const SERVER_FIRST_MS = 2000;

type Parser = (text: string) => unknown;

/** bigint and timestamptz arrive as text. They are parsed once, here, for the connections of this package only. */
const own: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [INT8, Number],
  [TIMESTAMPTZ, isoInstant],
]);
const parsers = {
  getTypeParser: (oid: number, format: "text" | "binary" = "text"): Parser =>
    own.get(oid) ?? (types.getTypeParser as (oid: number, format: string) => Parser)(oid, format),
};

export async function connect(options: ConnectOptions): Promise<Database> {
  const { limits, silenceMs } = options;
  const config = {
    connectionString: options.url,
    connectionTimeoutMillis: options.connectTimeoutMs,
    types: parsers,
    limits: { statement: limits.statement, silence: silenceMs },
  };
  const watch = new Watch({ silenceMs, open: () => new ServerConnection(config) });
  const pools = [options.poolSize, RESERVED].map((max) => new WatchedPool({ ...config, max }, watch));
  const close = async (): Promise<void> => void (await Promise.all(pools.map((pool) => pool.close())));
  try {
    const isDirect = await pools[0]!.use(async (client) => (client.release(), client.isDirect));
    return { ...database(pools[0]!, limits, isDirect), reserved: database(pools[1]!, limits, isDirect), close };
  } catch (error) {
    await close();
    throw connectError(error);
  }
}

type Query = (client: PoolClient, call: Call, statement: Statement, values?: readonly unknown[]) => Promise<Row[]>;

function database(pool: WatchedPool, limits: Limits, isDirect: boolean): Omit<Database, "reserved" | "close"> {
  const query: Query = async (client, call, { name, text, limit = "statement", atMostMs = Infinity }, values = []) => {
    const limitMs = limit === "append" ? limits.append : limits[limit] + SERVER_FIRST_MS;
    call.next(Math.min(limitMs, atMostMs));
    const config: QueryArrayConfig = { text, values: [...values], rowMode: "array", ...(isDirect ? { name } : {}) };
    return (await client.query<unknown[]>(config)).rows;
  };
  return {
    read: (statement, values) =>
      pool.use((client, call) => useOnce(client, query(client, call, statement, values), readError)),
    write: (statement, values) =>
      pool.use((client, call) => useOnce(client, query(client, call, statement, values), writeError)),
    transaction: (work, { patient = false, upload } = {}) =>
      pool.use((client, call) => {
        const run: Session["run"] = (statement, values) =>
          query(client, call, patient ? { ...statement, limit: "patient" } : statement, values);
        const begin = (): Promise<void> => beginTransaction(run, patient ? limits.patient : null, upload);
        return inTransaction(client, run, begin, work);
      }),
  };
}

async function useOnce(client: PoolClient, sent: Promise<Row[]>, translate: Translate): Promise<Row[]> {
  try {
    const rows = await sent;
    release(client, client.isReadOnly);
    return rows;
  } catch (error) {
    const ended = await client.endedWith(error);
    release(client, client.mustGo(error, ended));
    throw translate(error, ended);
  }
}

/**
 * A client that stalls between two statements (stopped, suspended, cut off) holds its locks while its connection seems
 * alive. After this time the server ends its session, so that another worker can take over the runs it locked.
 */
const END_IF_IDLE = "SET LOCAL idle_in_transaction_session_timeout = '2s'";

const command = (text: string): Statement => ({ name: "", text, limit: "append" });

async function beginTransaction(
  run: Session["run"],
  patienceMs: number | null,
  upload: TransactionOptions["upload"],
): Promise<void> {
  const patience = patienceMs === null ? "" : `; SET LOCAL statement_timeout = ${patienceMs}`;
  if (upload === undefined) return void (await run(command(`BEGIN; ${END_IF_IDLE}${patience}`)));
  await run(command(`BEGIN${patience}`));
  await run(upload.statement, upload.values); // to the server, a client that still sends a statement is idle
  await run(command(END_IF_IDLE));
}

async function inTransaction<T>(
  client: PoolClient,
  run: Session["run"],
  begin: () => Promise<void>,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  let committing = false;
  try {
    await begin();
    const result = await work({ run });
    committing = true;
    await run(command("COMMIT"));
    release(client, client.isReadOnly);
    return result;
  } catch (error) {
    const ended = await client.endedWith(error);
    release(client, client.mustGo(error, ended) || !(await rolledBack(run)));
    throw committing ? writeError(error, ended) : readError(error, ended); // before COMMIT was sent nothing can be stored
  }
}

async function rolledBack(run: Session["run"]): Promise<boolean> {
  return run(command("ROLLBACK")).then(
    () => true,
    () => false,
  );
}

/** A connection that must not be used again is cut: the server may never confirm its end. */
function release(client: PoolClient, mustGo: boolean): void {
  if (mustGo) client.destroy();
  client.release(mustGo);
}

type Translate = (error: unknown, sessionEnded: boolean) => RunledgerError;

/** Returns the row of a statement that always returns one. */
export function firstOf(rows: readonly Row[]): Row {
  return rows[0]!;
}
