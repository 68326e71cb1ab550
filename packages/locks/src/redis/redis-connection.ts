/** A connection that is made on demand and dropped after an error. */
import { StopError } from "@runledger/contracts";
import type { RedisClientType } from "redis";
import { ANSWER_MS, inTime } from "../deadline.js";

export interface RedisConnection {
  evaluate(script: string, keys: string[], values: string[]): Promise<number>;
  close(): Promise<void>;
}

export function redisConnection(url: string): RedisConnection {
  let connected: Promise<RedisClientType> | null = null;
  const drop = async (client: Promise<RedisClientType>): Promise<void> => {
    if (connected === client) connected = null;
    await client.then((open) => open.destroy()).catch(() => {}); // it is broken already
  };
  return {
    evaluate: async (script, keys, values) => {
      const client = (connected ??= connectTo(url));
      try {
        return Number(await inTime(client.then((open) => open.eval(script, { keys, arguments: values }))));
      } catch (error) {
        void drop(client);
        throw error;
      }
    },
    close: async () => {
      if (connected !== null) await drop(connected);
    },
  };
}

async function connectTo(url: string): Promise<RedisClientType> {
  const { createClient } = await import("redis").catch(explained);
  const socket = { connectTimeout: ANSWER_MS, reconnectStrategy: false as const }; // the next command connects again
  const client = createClient({ url, disableOfflineQueue: true, socket });
  client.on("error", () => {}); // commands report it
  await client.connect();
  return client;
}

/** The client is an optional peer dependency. */
function explained(error: unknown): never {
  const { code, message = "" } = error as { readonly code?: string; readonly message?: string };
  if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes("'redis'")) throw error;
  const what = "Locks in Redis need the package redis, which is not installed.";
  throw new StopError("STORE_UNSUITABLE", `${what} Run npm install redis.`);
}
