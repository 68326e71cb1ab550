/** The caches that servers share: Redis and Memcached from Debian. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { createClient, type RedisClientType } from "redis";
import { BrokerServer } from "./broker-server.js";
import { memcachedServer, redisServer, unpackDebian } from "./debian-packages.js";
import { redisUrl } from "./redis-client.js";

/** Redis that keeps everything in memory. It loads the last dump when it starts. */
export async function startRedisCache(): Promise<BrokerServer> {
  const { root, env } = await unpackDebian(redisServer);
  return BrokerServer.start("redis-cache", async (port, folder) => {
    const place = ["--bind", "127.0.0.1", "--port", String(port), "--dir", folder];
    return { command: join(root, "usr/bin/redis-server"), args: [...place, "--save", "", "--appendonly", "no"], env };
  });
}

export async function startMemcached(): Promise<BrokerServer> {
  const { root, env } = await unpackDebian(memcachedServer);
  return BrokerServer.start("memcached", async (port) => {
    const args = ["-l", "127.0.0.1", "-p", String(port), "-m", "32", "-U", "0"];
    return { command: join(root, "usr/bin/memcached"), args, env };
  });
}

/** Everything that a Redis contains. */
export async function redisContent(server: BrokerServer): Promise<Readonly<Record<string, string>>> {
  return withRedis(server, async (client) => {
    const keys = await client.keys("*");
    const values = keys.length === 0 ? [] : await client.mGet(keys);
    return Object.fromEntries(keys.map((key, index) => [key, values[index] ?? ""]));
  });
}

/** Writes a dump and returns a function that kills Redis and starts it with this dump. */
export async function dumpRedis(server: BrokerServer): Promise<() => Promise<void>> {
  await withRedis(server, (client) => client.sendCommand(["SAVE"]));
  const dump = join(server.folder, "dump.rdb");
  copyFileSync(dump, `${dump}.old`);
  return async () => {
    await server.kill();
    copyFileSync(`${dump}.old`, dump);
    await server.start();
  };
}

export function flushRedis(server: BrokerServer): Promise<unknown> {
  return withRedis(server, (client) => client.flushAll());
}

async function withRedis<T>(server: BrokerServer, use: (client: RedisClientType) => Promise<T>): Promise<T> {
  const client = createClient({ url: redisUrl(server) }) as RedisClientType;
  client.on("error", () => {});
  await client.connect();
  try {
    return await use(client);
  } finally {
    client.destroy();
  }
}
