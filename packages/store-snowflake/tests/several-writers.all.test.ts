// @module-tag H-20
/** Several processes append to standard tables under a distributed lock (P11). One of them is suspended while it holds the lock. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkHistory, mergeHistories, readEnd, type History } from "@runledger/store-conformance";
import { requireRedis, startRedis, type BrokerServer } from "@runledger/test-support/brokers";
import { LineChild } from "@runledger/test-support/line-child";
import { describeWith, requireTool } from "@runledger/test-support/requirements";
import { startEmulator, type Emulator } from "@runledger/test-support/snowflake-emulator.mjs";
import { requireZookeeper, startZookeeper } from "@runledger/test-support/zookeeper-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SnowflakeStore } from "../src/index.js";

const program = fileURLToPath(new URL("locked-writer.mjs", import.meta.url));
const TTL_MS = 3000;
const TURNS = { "client-1": 8, "client-2": 4, "client-3": 6 };

const servers = { redis: [requireRedis, startRedis], zookeeper: [requireZookeeper, startZookeeper] } as const;

let starting: Promise<Emulator> | null = null;
afterAll(async () => {
  await (await starting)?.stop();
});

for (const [scheme, [needs, start]] of Object.entries(servers))
  describeWith(`several writers under a lock in ${scheme}`, [requireTool("python3"), ...needs], () => {
    let emulator: Emulator;
    let server: BrokerServer;
    const folder = mkdtempSync(join(tmpdir(), "writers-"));

    beforeAll(async () => {
      [emulator, server] = await Promise.all([(starting ??= startEmulator()), start()]);
    }, 600_000);
    afterAll(async () => {
      await server.stop();
      rmSync(folder, { recursive: true });
    });

    const file = (client: string): string => join(folder, client);
    const historyOf = (client: string): Partial<History> =>
      JSON.parse(readFileSync(file(client), "utf8")) as Partial<History>;
    const outcomes = (client: string): string[] =>
      historyOf(client).operations!.flatMap((operation) =>
        operation.kind === "append"
          ? operation.parts.map(({ outcome }) => (outcome.status === "refused" ? outcome.code : outcome.status))
          : [],
      );

    test("a suspended holder writes nothing, the others make progress, and the history is clean", async () => {
      const url = emulator.url(`WRITERS_${scheme}`, { shape: "standard", writers: "many" });
      const lock = `${scheme}://${server.address}`;
      await using observer = await SnowflakeStore.open({ url, lock });
      const writer = (client: keyof typeof TURNS, ...hold: number[]): LineChild =>
        new LineChild(program, [url, lock, client, TURNS[client], TTL_MS, file(client), ...hold]);

      await using suspended = writer("client-1", 2);
      expect(await suspended.line(0)).toMatch(/^holds \d+$/);
      suspended.signal("SIGSTOP");
      await using second = writer("client-2");
      await second.exit();
      expect(outcomes("client-2")).toContain("acknowledged");

      suspended.signal("SIGCONT");
      suspended.proceed();
      await using third = writer("client-3");
      await Promise.all([suspended.exit(), third.exit()]);
      expect(outcomes("client-3")).toContain("acknowledged");
      const late = outcomes("client-1");
      expect(late).toContain("LOCK_LOST");
      expect(late.lastIndexOf("acknowledged"), late.join()).toBeGreaterThan(late.indexOf("LOCK_LOST"));

      const clients = Object.keys(TURNS).map(historyOf);
      const history = mergeHistories([...clients, await readEnd(observer)]);
      expect(checkHistory(history).violations).toEqual([]);
      expect(history.logs.flatMap(({ events }) => events).length).toBeGreaterThan(10);
    });
  });
