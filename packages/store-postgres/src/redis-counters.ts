/**
 * Numbers from a counter per run in Redis (P10). Redis may lose counters: by a crash, a failover, an old dump, or FLUSHALL.
 * So each draw carries the head of the run, which the caller has just read, and a counter below it starts above it. A number
 * that a stalled writer still holds can be drawn again this way; the lock of the head lets only one of them have it.
 */
import { RetryError, StopError } from "@runledger/contracts";
import type { RedisClientType } from "redis";
import type { NumberSource, NumbersToDraw } from "./append-drawn.js";

export interface RedisCountersOptions {
  /** `redis://…` or `rediss://…`. */
  readonly url: string;
  /** The URL of the database whose runs are numbered. Its name is part of the keys. */
  readonly database: string;
}

/** A counter of a run without appends expires: it starts above the head again. */
const KEEP_MS = 24 * 60 * 60 * 1000;
/** After this time a Redis that does not answer counts as unavailable. */
const ANSWER_MS = 5000;

const DRAW = `
local last = tonumber(redis.call('GET', KEYS[1]) or '0')
if last < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1]) end
local drawn = redis.call('INCRBY', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return drawn`;

export function redisCounters({ url, database }: RedisCountersOptions): NumberSource {
  const prefix = `runledger:${URL.canParse(database) ? new URL(database).pathname.slice(1) : ""}:seq:`;
  let connected: Promise<RedisClientType> | null = null;
  const drop = async (client: Promise<RedisClientType>): Promise<void> => {
    if (connected === client) connected = null;
    await client.then((open) => open.destroy()).catch(() => {}); // it is broken already
  };
  const drawOne = async (client: RedisClientType, { runId, headSeq, count }: NumbersToDraw): Promise<number[]> => {
    const values = [headSeq, count, KEEP_MS].map(String);
    const last = Number(await client.eval(DRAW, { keys: [prefix + runId], arguments: values }));
    return Array.from({ length: count }, (_, index) => last - count + 1 + index);
  };
  return {
    draw: async (runs) => {
      const client = (connected ??= connectTo(url));
      try {
        return await inTime(client.then((open) => Promise.all(runs.map((run) => drawOne(open, run)))));
      } catch (error) {
        void drop(client);
        throw error instanceof StopError ? error : unavailable(error);
      }
    },
    close: async () => {
      if (connected !== null) await drop(connected);
    },
  };
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${ANSWER_MS / 1000} seconds`)), ANSWER_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

function unavailable(cause: unknown): RetryError {
  const message = cause instanceof Error ? cause.message || cause.name : String(cause);
  const what = "Redis, which numbers the events of this store, cannot be used";
  return new RetryError("STORE_UNAVAILABLE", `${what}: ${message}. Nothing was written. Check Redis, then try again.`, {
    cause,
  });
}

async function connectTo(url: string): Promise<RedisClientType> {
  const { createClient } = await import("redis").catch(explained);
  const socket = { connectTimeout: ANSWER_MS, reconnectStrategy: false as const }; // the next draw connects again
  const client = createClient({ url, disableOfflineQueue: true, socket });
  client.on("error", () => {}); // commands report it
  await client.connect();
  return client;
}

/** The client is an optional peer dependency. */
function explained(error: unknown): never {
  const { code, message = "" } = error as { readonly code?: string; readonly message?: string };
  if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes("'redis'")) throw error;
  throw new StopError(
    "STORE_UNSUITABLE",
    "The append authority of this database needs the package redis, which is not installed. Run npm install redis.",
  );
}
