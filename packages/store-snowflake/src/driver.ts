/**
 * The narrow binding to snowflake-sdk. It is loaded only here, and only to connect: it is large, takes a second to
 * load, and is not installed by default.
 */
import { omitUndefined, StopError } from "@runledger/contracts";
import type { SnowflakeTarget } from "./connection-url.js";

export type Value = string | number | null;
export type Row = readonly unknown[];

/** One session. It runs one request at a time. */
export interface DriverSession {
  /** Statements separated by `;` are one request. Returns the rows of the first. */
  execute(text: string, values: readonly Value[], statements: number): Promise<Row[]>;
  close(): Promise<void>;
}

/** The part of the driver that is used. */
interface Sdk {
  configure(options: object): unknown;
  createConnection(options: object): Connection;
}

interface Connection {
  connect(callback: (error: unknown) => void): unknown;
  execute(options: object): unknown;
  destroy(callback: (error: unknown) => void): void;
}

let loading: Promise<Sdk> | null = null;

function loadSdk(): Promise<Sdk> {
  loading ??= import("snowflake-sdk").then(({ default: sdk }) => quiet(sdk as unknown as Sdk), notInstalled);
  return loading;
}

/** The driver's log would contain statements and addresses. Errors contain what matters. */
function quiet(sdk: Sdk): Sdk {
  sdk.configure({ logLevel: "OFF", additionalLogToConsole: false });
  return sdk;
}

function notInstalled(cause: unknown): never {
  loading = null;
  const message = "snowflake-sdk is not installed, or cannot be loaded. Run npm install snowflake-sdk.";
  throw new StopError("STORE_UNSUITABLE", message, { cause });
}

/**
 * `answerTimeoutMs`: the driver repeats a request without a response under the same id, so that it is not executed
 * twice. It does so for hours, with any setting. After this time the caller gets an error.
 */
export async function openSession(target: SnowflakeTarget, answerTimeoutMs: number): Promise<DriverSession> {
  const sdk = await loadSdk();
  const options = { sfRetryMaxLoginRetries: 3, ...named(target), ...authentication(target) };
  const connection = sdk.createConnection(options);
  const within = <T>(answer: Promise<T>): Promise<T> => inTime(answer, answerTimeoutMs);
  await within(connected(connection));
  return {
    execute: (text, values, statements) => within(execute(connection, text, values, statements)),
    close: () => new Promise((resolve) => connection.destroy(() => resolve())),
  };
}

/** Uses the callback, because the promise of the driver does not report a refused login. */
function connected(connection: Connection): Promise<void> {
  return new Promise((resolve, reject) => connection.connect(settler(resolve, reject)));
}

function settler(resolve: () => void, reject: (reason: unknown) => void): (error: unknown) => void {
  return (error) => (error === undefined || error === null ? resolve() : reject(error));
}

function inTime<T>(answer: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new Error(`no response within ${timeoutMs} ms`));
    const timer = setTimeout(late, timeoutMs);
    void answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function named({ account, user, database, schema, warehouse, role, accessUrl }: SnowflakeTarget): object {
  return {
    account,
    username: user,
    database,
    schema,
    application: "runledger",
    clientSessionKeepAlive: false,
    ...omitUndefined({ warehouse, role, accessUrl }),
  };
}

/** Uses the key pair, OAuth token or password that was given. */
export function authentication(target: SnowflakeTarget): object {
  const { privateKey, privateKeyPath, privateKeyPassphrase: privateKeyPass, token, password } = target;
  if (privateKey !== undefined) return { authenticator: "SNOWFLAKE_JWT", privateKey, privateKeyPass };
  if (privateKeyPath !== undefined) return { authenticator: "SNOWFLAKE_JWT", privateKeyPath, privateKeyPass };
  if (token !== undefined) return { authenticator: "OAUTH", token };
  return { authenticator: "SNOWFLAKE", password };
}

/**
 * Fetches JSON as text: the driver's parser evaluates text that JSON.parse refuses as a program, and stored data must
 * never run.
 */
const ROWS = { rowMode: "array", fetchAsString: ["JSON"] };

function execute(connection: Connection, sqlText: string, binds: readonly Value[], statements: number): Promise<Row[]> {
  const parameters = { MULTI_STATEMENT_COUNT: statements };
  return new Promise((resolve, reject) => {
    const complete = (error: Error | undefined, _: unknown, rows: Row[] | undefined): void =>
      error === undefined || error === null ? resolve(rows ?? []) : reject(error);
    connection.execute({ ...ROWS, sqlText, binds: [...binds], parameters, complete });
  });
}
