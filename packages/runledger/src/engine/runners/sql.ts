/** `sql`: one statement on PostgreSQL. Values are bound, never written into the text. */
import type { Json } from "@runledger/contracts";
import { Pool, Query, type PoolClient, type QueryConfig } from "pg";
import { parseWith } from "../../workflow/schema.js";
import { orAborted } from "../abort.js";
import { FatalStepError, StepError } from "../step-errors.js";
import { cancelStatement } from "./cancel-statement.js";
import { toldTo, type Runner, type Task } from "./runner.js";
import { isSqlState, sqlError } from "./sql-errors.js";
import { jsonParsers } from "./sql-values.js";

/** What a step's output may hold; more belongs into a table or an artifact. */
const MAX_ROWS = 10_000;
const MAX_BYTES = 256 * 1024;
/** Connections to one database; further statements wait. */
const POOL_SIZE = 10;
/** So that it is the step that was out of time, and not the statement. */
const LATER_MS = 1000;

interface SqlOptions {
  readonly text?: unknown;
  readonly params?: readonly Json[];
  /** One of the worker's. Default: `default`. */
  readonly connection?: string;
  /** False = outside a transaction, for what cannot run in one (VACUUM). */
  readonly transaction?: boolean;
}

/** Statements on the databases that a worker knows by name. */
export class SqlStatements {
  readonly #urls: Readonly<Record<string, string>>;
  readonly #pools = new Map<string, Pool>();

  constructor(urls: Readonly<Record<string, string>>) {
    this.#urls = urls;
  }

  readonly run: Runner = async (task) => {
    const { connection = "default", ...options } = await toldTo<SqlOptions>(task, "params");
    const database = this.#database(connection);
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

  #database(name: string): Database {
    const url = this.#urls[name];
    if (url === undefined) throw new FatalStepError("NO_CONNECTION", `This worker has no connection ${name}.`);
    const pool = this.#pools.get(name) ?? newPool(url);
    this.#pools.set(name, pool);
    return { url, pool };
  }
}

interface Database {
  readonly url: string;
  readonly pool: Pool;
}

function newPool(url: string): Pool {
  const pool = new Pool({ connectionString: url, max: POOL_SIZE, types: jsonParsers, allowExitOnIdle: true });
  // A broken connection tells whoever waits for its answer; the event besides would end the process.
  return pool.on("error", ignore).on("connect", (client) => client.on("error", ignore));
}

async function runOn({ url, pool }: Database, task: Task, options: SqlOptions): Promise<readonly object[]> {
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
    client.release(!reusable || signal.aborted); // one with a cancellation on its way is nobody's
  }
}

/** Whoever gives up waiting leaves the connection to the next. */
async function connected(pool: Pool, signal: AbortSignal): Promise<PoolClient> {
  const connecting = pool.connect();
  try {
    return await orAborted(connecting, signal);
  } catch (error) {
    connecting.then((client) => client.release(), ignore);
    throw error;
  }
}

/** Settings hold for the transaction only, so that they cannot leak through a pool, ours or a pooler's. */
async function inTransaction(client: PoolClient, task: Task, options: SqlOptions): Promise<readonly object[]> {
  await client.query("BEGIN");
  await tell(client, task, true);
  const rows = await rowsOf(client, options);
  await client.query("COMMIT");
  return rows;
}

/** The connection is thrown away afterwards, and its settings with it. */
async function alone(client: PoolClient, task: Task, options: SqlOptions): Promise<readonly object[]> {
  await tell(client, task, false);
  return rowsOf(client, options);
}

const settings = `
SELECT set_config('statement_timeout', coalesce($1, current_setting('statement_timeout')), $3),
  set_config('runledger.idempotency_key', $2, $3)`;

/** A worker that is killed cancels nothing: the server itself must know when the step is out of time, a little later. */
async function tell(client: PoolClient, { step, context }: Task, isLocal: boolean): Promise<void> {
  const timeout = step.timeoutMs === undefined ? null : String(step.timeoutMs + LATER_MS);
  await client.query(settings, [timeout, context.idempotencyKey, isLocal]);
  context.signal.throwIfAborted();
}

/** Counted as they come: a statement that gives too much is given up, not gathered first. */
function rowsOf(client: PoolClient, { text, params = [] }: SqlOptions): Promise<readonly object[]> {
  if (typeof text !== "string") throw new FatalStepError("SQL_INVALID", "text must be a statement.");
  const rows: object[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    // Prepared even without values: one statement, never several.
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

/** The server said no, and goes on listening. */
function isOrderly(error: unknown): boolean {
  const { code = "", severity } = error as { code?: string; severity?: string };
  return isSqlState(code) && severity === "ERROR";
}
