// @module-tag B-02
/** Runs on PostgreSQL are delivered to real brokers, which are killed meanwhile. */
import { newEvent } from "@runledger/contracts";
import { checkHistory, digestOf, recordHistory } from "@runledger/store-conformance";
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
import { until } from "@runledger/test-support/until";
import { connect, type BusFactory, type CloudEvent } from "runledger";
import { expect, test } from "vitest";
import { kafkaDestination, natsDestination, redisDestination, type Destination } from "./destinations.js";

const runIds = Array.from({ length: 10 }, (_, n) => `run-${n}`);
const ROUNDS = 30;

const placeOf = ({ data: { runId, runSeq, eventId, eventData } }: CloudEvent) => {
  return { runId, seq: runSeq, eventId, digest: digestOf(eventData) };
};

async function deliver(server: BrokerServer, { factory, received }: Destination): Promise<void> {
  const database = await freshDatabase();
  const ledger = await connect(database.url);
  const buses: Record<string, BusFactory> = { broker: factory };
  const outbox = ledger.outbox({ buses, pollMs: 20, publishTimeoutMs: 5000 });
  try {
    await ledger.subscriptions.put({ id: "s", bus: { type: "broker" }, from: "beginning" });
    const recorded = recordHistory(ledger.store);
    for (let round = 0; round < ROUNDS; round++) {
      const step = { eventType: "StepStarted", stepId: `s${round}`, planVersion: "1", eventData: { round } };
      await Promise.all(runIds.map((runId) => recorded.store.appendEvents([newEvent({ ...step, runId })])));
      if (round === ROUNDS / 3) await until(async () => (await received()).length > 0);
      if (round === ROUNDS / 3) await server.kill();
    }
    const lastError = async () => (await ledger.subscriptions.get("s"))?.lastError ?? null;
    await until(async () => (await lastError()) !== null);
    await server.start();
    await until(async () => (await ledger.subscriptions.status("s")).pendingRuns === 0);
    const published = (await received()).map(placeOf);
    expect(checkHistory({ ...(await recorded.finish()), published }).violations).toEqual([]);
    expect(await ledger.subscriptions.deadLetters()).toEqual([]);
  } finally {
    await outbox.stop();
    await ledger.close();
    await database.drop();
    await server.stop();
  }
}

const TITLE = "everything arrives in order although the broker is killed while events are delivered";

describeWith("Redis", requireRedis, () => {
  test(TITLE, async () => {
    const server = await startRedis();
    await deliver(server, await redisDestination(server));
  });
});

describeWith("NATS", requireNats, () => {
  test(TITLE, async () => {
    const server = await startNats();
    await deliver(server, await natsDestination(server));
  });
});

describeWith("Kafka", requireKafka, () => {
  test(TITLE, async () => {
    const server = await startKafka();
    await deliver(server, await kafkaDestination(server));
  });
});
