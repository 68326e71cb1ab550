import type { CacheClient } from "./remote-cache.js";
import { loadCacheClient } from "./load-cache-client.js";

const CONNECTIONS = 2;
const CONNECT_MS = 5_000;
/** Above it, Memcached reads a lifetime as a date. */
const LONGEST_LIFETIME = 30 * 24 * 3600;

/** Connects through the package `memcache-client`, an optional peer dependency. `url` is `memcached://host:port`. */
export async function connectMemcached(url: string, ttlMs: number): Promise<CacheClient> {
  const { MemcacheClient } = await loadCacheClient("memcache-client", () => import("memcache-client"));
  const { hostname, port } = new URL(url);
  const server = { server: `${hostname}:${port === "" ? "11211" : port}`, maxConnections: CONNECTIONS };
  const lifetime = Math.min(Math.ceil(ttlMs / 1000), LONGEST_LIFETIME);
  const client = new MemcacheClient({ server, connectTimeout: CONNECT_MS, lifetime, noDelay: true });
  client.on("error", () => {}); // commands report it
  return {
    get: async (key) => ((await client.get<string>(key)) as { value: string } | undefined)?.value ?? null,
    set: (key, entry) => client.set(key, entry),
    close: () => client.shutdown(),
  };
}
