/** Fills and reads streams of a Redis of the tests. */
import { createClient } from "redis";
import type { BrokerServer } from "./broker-server.js";

export const redisUrl = ({ address }: BrokerServer): string => `redis://${address}`;

/** The fields of each entry. */
export async function readRedis(server: BrokerServer, stream: string): Promise<readonly Record<string, string>[]> {
  const client = createClient({ url: redisUrl(server) }).on("error", () => {});
  await client.connect();
  const entries = await client.xRange(stream, "-", "+");
  client.destroy();
  return (entries ?? []).map(({ message }) => ({ ...message }));
}

export async function sendRedis(
  server: BrokerServer,
  stream: string,
  entries: readonly Readonly<Record<string, string>>[],
): Promise<void> {
  const client = createClient({ url: redisUrl(server) }).on("error", () => {});
  await client.connect();
  for (const entry of entries) await client.xAdd(stream, "*", { ...entry });
  client.destroy();
}

/** FLUSHALL: Redis loses its memory. */
export async function flushRedis(server: BrokerServer): Promise<void> {
  const client = createClient({ url: redisUrl(server) }).on("error", () => {});
  await client.connect();
  await client.flushAll();
  client.destroy();
}
