// @module-tag B-06
/** Consumers of real brokers start a run exactly once per event id, although they are killed between start and acknowledgement. */
import { crashPoints } from "@runledger/runtime/triggers/crash-points";
import {
  requireKafka,
  requireNats,
  requireRedis,
  startKafka,
  startNats,
  startRedis,
  type BrokerServer,
} from "@runledger/test-support/brokers";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { describeWith } from "@runledger/test-support/requirements";
import { startProgram } from "@runledger/test-support/runledger-command";
import { until } from "@runledger/test-support/until";
import { connect, workflow } from "runledger";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { kafkaOrigin, natsOrigin, redisOrigin, type Origin, type SentEvent } from "./origins.js";

const flow = workflow("orders", { version: "1", input: z.object({ n: z.number(), id: z.string() }) }, (w) =>
  w.waitForSignal("never"),
);
const EVENTS = 30;
const eventsOf = (round: string, count = EVENTS): SentEvent[] =>
  Array.from({ length: count }, (_, n) => ({ id: `${round}-${n}` }));

async function world(kind: string, server: BrokerServer, origin: Origin) {
  const database = await freshDatabase();
  const ledger = await connect(database.url);
  onTestFinished(async () => {
    await ledger.close();
    await database.drop();
  });
  const worker = await ledger.worker({ workflows: [flow] }); // publishes the workflow
  await worker.stop();
  const source = { type: kind, [origin.setting]: origin.place };
  await ledger.triggers.put({ id: "orders", source, workflow: "orders", maxAttempts: 2, from: "beginning" });
  const start = (...args: readonly string[]) => {
    const program = "tests/triggers/consumer-program.mjs";
    return startProgram({ cwd: process.cwd() }, program, database.url, kind, server.address, origin.place, ...args);
  };
  /** The events of all runs. */
  const started = async (): Promise<string[]> => {
    const heads = await ledger.store.listHeads();
    const logs = await Promise.all(heads.map(({ runId }) => ledger.store.fetchEvents(runId, { limit: 1 })));
    return logs.map(([event]) => (event!.eventData as { trigger: { eventId: string } }).trigger.eventId).sort();
  };
  const trigger = async () => (await ledger.triggers.get("orders"))!;
  return { start, started, trigger };
}

const idsOf = (events: readonly SentEvent[]): string[] => events.map(({ id }) => id).sort();

function suite(
  kind: string,
  open: () => Promise<BrokerServer>,
  originOf: (server: BrokerServer) => Promise<Origin>,
): void {
  let server: BrokerServer;
  beforeAll(async () => void (server = await open()));
  afterAll(() => server.stop());

  test("after kill -9 of a consumer at every point, each event has one run", async () => {
    const origin = await originOf(server);
    const { start, started, trigger } = await world(kind, server, origin);
    const sent: SentEvent[] = [];
    const send = async (events: readonly SentEvent[]): Promise<void> => {
      sent.push(...events);
      await origin.send(events);
    };
    for (const [round, point] of crashPoints.entries()) {
      await send([...eventsOf(`round-${round}`), { id: `bad-${round}`, body: '{"n":"text"}' }]);
      const consumer = start(point, point === "rejection-saved" ? "0" : "3");
      expect(await consumer.ended).toMatchObject({ signal: "SIGKILL" });
    }
    await origin.send(eventsOf("round-0")); // the broker has these events twice
    start();
    const good = idsOf(sent.filter(({ body }) => body === undefined));
    await until(
      async () => (await started()).length >= good.length && (await trigger()).rejected >= crashPoints.length,
    );
    await send([{ id: "last" }]);
    await until(async () => (await started()).includes("last"));
    expect(await started()).toEqual([...good, "last"].sort());
    const { rejections } = await trigger();
    expect(rejections.length).toBe(crashPoints.length);
  });

  test("two consumers share the events of a trigger, and one takes over from the other", async () => {
    const origin = await originOf(server);
    const { start, started } = await world(kind, server, origin);
    const [one, two] = [start(), start()];
    const isShared = (): boolean => [one, two].every(({ output }) => output.includes("handled"));
    const sent: SentEvent[] = [];
    const send = async (events: readonly SentEvent[]): Promise<void> => {
      sent.push(...events);
      await origin.send(events);
      await until(async () => (await started()).length >= sent.length);
    };
    for (let round = 0; !isShared(); round++) await send(eventsOf(`shared-${round}`));
    one.kill("SIGKILL");
    await send(eventsOf("taken-over"));
    expect(await started()).toEqual(idsOf(sent));
    two.kill("SIGTERM");
    expect(await two.ended).toMatchObject({ code: 0 });
  });

  test("a broker that is killed is tried again, and its events have one run each", async () => {
    const origin = await originOf(server);
    const { start, started, trigger } = await world(kind, server, origin);
    start();
    const sent = eventsOf("before");
    await origin.send(sent);
    await until(async () => (await started()).length > 0);
    await server.kill();
    await until(async () => (await trigger()).failures > 0);
    await server.start();
    const more = eventsOf("after");
    await until(() => origin.send(more).then(...booleans));
    await until(async () => (await started()).length >= sent.length + more.length && (await trigger()).failures === 0);
    expect(await started()).toEqual(idsOf([...sent, ...more]));
  });
}

/** A broker that has just started may refuse messages. */
const booleans = [() => true, () => false] as const;

describeWith("Redis", requireRedis, () => suite("redis", startRedis, redisOrigin));
describeWith("NATS", requireNats, () => suite("nats", startNats, natsOrigin));
describeWith("Kafka", requireKafka, () => suite("kafka", startKafka, kafkaOrigin));
