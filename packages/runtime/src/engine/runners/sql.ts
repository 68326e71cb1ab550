/** `sql`: runs one statement on PostgreSQL. Values are bind parameters, never part of the text. */
import { DEFAULT_TENANT, type Json } from "@runledger/contracts";
import { Pool, Query, type PoolClient, type QueryConfig } from "pg";
import { parseWith } from "../../workflow/schema.js";
import { raceAbort } from "../abort.js";
import { FatalStepError, StepError } from "../../workflow/step-errors.js";
import { cancelStatement } from "./cancel-statement.js";
import { readOptions, type BuiltInRunner, type BuiltInTask } from "./runner.js";
import { isSqlState, sqlError } from "./sql-errors.js";
import { jsonParsers } from "./sql-values.js";

/** Limits of a step's output. Larger results belong into a table or an artifact. */
const MAX_ROWS = 10_000;
const MAX_BYTES = 256 * 1024;
/** Connections per database; further statements wait. */
const POOL_SIZE = 10;
/** Added to the statement timeout, so that the step times out first. */
const LATER_MS = 1000;

interface SqlOptions {
  readonly text?: unknown;
  readonly params?: readonly Json[];
  /** The name of a connection of the worker. Default: `default`. */
  readonly connection?: string;
  /** `false` runs the statement outside a transaction, for example VACUUM. */
  readonly transaction?: boolean;
}

type Urls = Readonly<Record<string, string>>;

/** Runs statements on the worker's named databases. */
export class SqlStatements {
  readonly #urls: Urls;
  readonly #ownUrls: ReadonlyMap<string, Urls>;
  /** By URL, because tenants may have different databases of the same name. */
  readonly #pools = new Map<string, Pool>();

  /** `ownUrls` are the connections of tenants. */
  constructor(urls: Urls, ownUrls: ReadonlyMap<string, Urls> = new Map()) {
    this.#urls = urls;
    this.#ownUrls = ownUrls;
  }

  readonly run: BuiltInRunner = async (task) => {
    const { connection = "default", ...options } = await readOptions<SqlOptions>(task, "params");
    const database = this.#database(connection, task.tenantId);
    try {
      const rows = await runOn(database, task, options);
      const checked = rows.map((row, index) => parseWith(task.closures.schema, `rows[${index}]`, row));
      return await Promise.all(checked);
    } catch (error) {
      throw sqlError(error);
    }
  };

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.end()));
    this.#pools.clear();
  }

  #database(name: string, tenantId = DEFAULT_TENANT): Database {
    const url = urlIn(this.#ownUrls.get(tenantId) ?? {}, name) ?? urlIn(this.#urls, name);
    if (url === undefined) throw noConnection(name);
    const pool = this.#pools.get(url) ?? newPool(url);
    this.#pools.set(url, pool);
    return { url, pool };
  }
}

function urlIn(urls: Urls, name: string): string | undefined {
  return Object.hasOwn(urls, name) ? urls[name] : undefined;
}

function noConnection(name: string): FatalStepError {
  const place = /^[\w$]+$/.test(name) ? `connections.${name}` : `connections["${name}"]`;
  return new FatalStepError(
    "NO_CONNECTION",
    `This worker has no connection "${name}". Add worker.${place} to runledger.config.ts.`,
  );
}

interface Database {
  readonly url: string;
  readonly pool: Pool;
}

function newPool(url: string): Pool {
  const pool = new Pool({ connectionString: url, max: POOL_SIZE, types: jsonParsers, allowExitOnIdle: true });
  // A broken connection rejects its pending query; the unhandled event would end the process.
  return pool.on("error", ignore).on("connect", (client) => client.on("error", ignore));
}

async function runOn({ url, pool }: Database, task: BuiltInTask, options: SqlOptions): Promise<readonly object[]> {
  const { signal } = task.context;
  const client = await connected(pool, signal);
  const done = new AbortController();
  const stop = (): void => void cancelStatement(url, client, done.signal);
  signal.addEventListener("abort", stop, { once: true });
  const isWhole = options.transaction !== false;
  let reusable = false;
  try {
    const rows = isWhole ? await inTransaction(client, task, options) : await alone(client, task, options);
    reusable = isWhole;
    return rows;
  } catch (error) {
    reusable = isWhole && !signal.aborted && isOrderly(error) && (await rolledBack(client));
    throw error;
  } finally {
    done.abort();
    signal.removeEventListener("abort", stop);
    client.release(!reusable || signal.aborted); // discard a connection with a cancel in flight
  }
}

/** An aborted wait releases its connection to the next waiter. */
async function connected(pool: Pool, signal: AbortSignal): Promise<PoolClient> {
  const connecting = pool.connect();
  try {
    return await raceAbort(connecting, signal);
  } catch (error) {
    connecting.then((client) => client.release(), ignore);
    throw error;
  }
}

/** Sets values for the transaction only, so that they cannot leak through a pool or pooler. */
async function inTransaction(client: PoolClient, task: BuiltInTask, options: SqlOptions): Promise<readonly object[]> {
  await client.query("BEGIN");
  await tell(client, task, true);
  const rows = await rowsOf(client, options);
  await client.query("COMMIT");
  return rows;
}

/** Discards the connection and its settings afterwards. */
async function alone(client: PoolClient, task: BuiltInTask, options: SqlOptions): Promise<readonly object[]> {
  await tell(client, task, false);
  return rowsOf(client, options);
}

const settings = `
SELECT set_config('statement_timeout', coalesce($1, current_setting('statement_timeout')), $3),
  set_config('runledger.idempotency_key', $2, $3)`;

/** Sets a server-side timeout slightly after the step's: a killed worker cancels nothing. */
async function tell(client: PoolClient, { step, context }: BuiltInTask, isLocal: boolean): Promise<void> {
  const timeout = step.timeoutMs === undefined ? null : String(step.timeoutMs + LATER_MS);
  await client.query(settings, [timeout, context.idempotencyKey, isLocal]);
  context.signal.throwIfAborted();
}

/** Counts rows as they arrive, and aborts a result that is too large. */
function rowsOf(client: PoolClient, { text, params = [] }: SqlOptions): Promise<readonly object[]> {
  if (typeof text !== "string") throw new FatalStepError("SQL_INVALID", "text must be a statement.");
  const rows: object[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    // Prepared even without values, which rejects several statements.
    const config: QueryConfig & { readonly queryMode: "extended" } = {
      text,
      values: [...params],
      queryMode: "extended",
    };
    const query = client.query(new Query(config));
    query.on("row", (row: object) => {
      bytes += JSON.stringify(row).length;
      if (rows.length < MAX_ROWS && bytes <= MAX_BYTES) return void rows.push(row);
      reject(tooLarge());
    });
    query.on("error", reject).on("end", () => resolve(rows));
  });
}

function tooLarge(): StepError {
  const message = `The statement gives more than ${MAX_ROWS} rows or ${MAX_BYTES} bytes. Narrow it, or write its result to a table.`;
  return new StepError("SQL_RESULT_TOO_LARGE", message, { retryable: false });
}

function ignore(): void {}

async function rolledBack(client: PoolClient): Promise<boolean> {
  return client.query("ROLLBACK").then(
    () => true,
    () => false,
  );
}

/** `true` if the server rejected the statement and keeps the connection. */
function isOrderly(error: unknown): boolean {
  const { code = "", severity } = error as { code?: string; severity?: string };
  return isSqlState(code) && severity === "ERROR";
}
