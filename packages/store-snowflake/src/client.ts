/** Sessions, requests and their outcomes. The rest of this package uses only this, never the driver. */
import type { SnowflakeTarget } from "./connection-url.js";
import { openSession, type DriverSession, type Row, type Value } from "./driver.js";
import { isBroken, readError, writeError } from "./errors.js";
import { sessionTables } from "./session-tables.js";
import { Sessions } from "./sessions.js";

export type { Row, Value } from "./driver.js";

export interface Call {
  readonly text: string;
  readonly values?: readonly Value[];
}

export interface Database {
  /** Runs a statement that changes nothing. After a lost connection the caller can retry. */
  read(call: Call): Promise<Row[]>;
  /** Streams the rows of a result of any length, `size` at a time. `page` reads the rows after the last one. */
  stream(size: number, page: (last: Row | null) => Call): AsyncIterable<Row>;
  /** Runs a script of repeatable statements, each of which commits by itself. */
  script(text: string): Promise<void>;
  /**
   * Runs statements that commit together, in one round trip, so that locks never wait for a stalled client. Then reads
   * what they left in the session's tables. After a lost connection the outcome is unknown (P7). The calls of `first` commit
   * before, in the same session and request.
   */
  transaction(calls: readonly Call[], answer: Call, first?: readonly Call[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** How long a statement waits for a lock, and how long it may take. Snowflake's defaults are hours and days. */
const SETTINGS = [
  "TIMEZONE = 'UTC'",
  "QUERY_TAG = 'runledger'",
  "LOCK_TIMEOUT = 30",
  "HYBRID_TABLE_LOCK_TIMEOUT = 30",
  "STATEMENT_TIMEOUT_IN_SECONDS = 120",
];

/** Snowflake accepts any number of statements. */
const ANY_NUMBER = 0;

/** Longer than the server lets a statement run. */
const ANSWER_TIMEOUT_MS = 150_000;

export async function connect(
  target: SnowflakeTarget,
  poolSize: number,
  answerTimeoutMs = ANSWER_TIMEOUT_MS,
): Promise<Database> {
  const sessions = new Sessions(() => prepared(target, answerTimeoutMs), poolSize);
  sessions.release(await sessions.take().catch(rethrow(readError))); // checks the credentials now, not at the first append
  return database(sessions);
}

async function prepared(target: SnowflakeTarget, answerTimeoutMs: number): Promise<DriverSession> {
  const session = await openSession(target, answerTimeoutMs);
  const settings = SETTINGS.map((setting) => `ALTER SESSION SET ${setting}`);
  await session.execute([...settings, ...sessionTables].join(";\n"), [], ANY_NUMBER);
  return session;
}

function database(sessions: Sessions): Database {
  return {
    read: ({ text, values = [] }) => using(sessions, (session) => session.execute(text, values, 1)),
    stream: (size, page) => streamed(sessions, size, page),
    script: (text) => using(sessions, (session) => session.execute(text, [], ANY_NUMBER)).then(() => {}),
    transaction: (calls, answer, first = []) => transaction(sessions, first, calls, answer),
    close: () => sessions.close(),
  };
}

async function using<T>(sessions: Sessions, work: (session: DriverSession) => Promise<T>): Promise<T> {
  const session = await sessions.take().catch(rethrow(readError));
  try {
    const result = await work(session);
    sessions.release(session);
    return result;
  } catch (error) {
    if (isBroken(error)) sessions.discard(session);
    else sessions.release(session);
    throw readError(error);
  }
}

async function* streamed(sessions: Sessions, size: number, page: (last: Row | null) => Call): AsyncGenerator<Row> {
  for (let last: Row | null = null; ;) {
    const { text, values = [] }: Call = page(last);
    const rows: Row[] = await using(sessions, (session) => session.execute(text, values, 1));
    yield* rows;
    if (rows.length < size) return;
    last = rows.at(-1)!;
  }
}

async function transaction(
  sessions: Sessions,
  first: readonly Call[],
  calls: readonly Call[],
  answer: Call,
): Promise<Row[]> {
  const session = await sessions.take().catch(rethrow(readError)); // nothing was sent yet
  try {
    const texts = [...first.map(({ text }) => text), "BEGIN", ...calls.map(({ text }) => text), "COMMIT"];
    const values = [...first, ...calls].flatMap((call) => call.values ?? []);
    await session.execute(texts.join(";\n"), values, texts.length);
    const rows = await session.execute(answer.text, answer.values ?? [], 1).catch(rethrow(lostAnswer));
    sessions.release(session);
    return rows;
  } catch (error) {
    // After an error the transaction is still open, and a COMMIT would succeed.
    const whole = !isBroken(error) && (await rolledBack(session));
    if (whole) sessions.release(session);
    else sessions.discard(session);
    throw writeError(error);
  }
}

/** The batch is stored, but its numbers are unknown. A retry finds it by its keys. */
function lostAnswer(error: unknown): Error {
  return new Error("the response was lost", { cause: error });
}

async function rolledBack(session: DriverSession): Promise<boolean> {
  return session.execute("ROLLBACK", [], 1).then(
    () => true,
    () => false,
  );
}

function rethrow(translate: (error: unknown) => Error): (error: unknown) => never {
  return (error) => {
    throw translate(error);
  };
}
