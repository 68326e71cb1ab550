import type { RedisClientType } from "redis";
import type { CacheClient } from "./remote-cache.js";
import { loadCacheClient } from "./load-cache-client.js";

/** Connects through the package `redis`, an optional peer dependency. `url` is `redis://…` or `rediss://…`. */
export async function connectRedis(url: string, ttlMs: number): Promise<CacheClient> {
  const { createClient } = await loadCacheClient("redis", () => import("redis"));
  const socket = { connectTimeout: 5_000, reconnectStrategy: false as const }; // the cache connects again by itself
  const client = createClient({ url, socket, disableOfflineQueue: true }) as RedisClientType;
  client.on("error", () => {}); // commands report it
  await client.connect();
  return {
    get: (key) => client.get(key),
    set: (key, entry) => client.set(key, entry, { expiration: { type: "PX", value: ttlMs } }),
    close: () => client.destroy(),
  };
}
