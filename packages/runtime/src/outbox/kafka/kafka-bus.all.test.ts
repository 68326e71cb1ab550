// @module-tag B-02
/** The Kafka bus on a real Kafka, through the client `@platformatic/kafka`. */
import { requireKafka, startKafka, MAX_BYTES, type BrokerServer } from "@runledger/test-support/brokers";
import { createKafkaTopic, KAFKA_PARTITIONS, readKafka } from "@runledger/test-support/kafka-client";
import { describeWith } from "@runledger/test-support/requirements";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { busConformance } from "../../testing/bus-conformance/bus-conformance.js";
import { eventAt, messageOf, upTo } from "../../testing/bus-conformance/messages.js";
import type { CloudEvent } from "../cloud-event.js";
import { chunksOf } from "./chunks.js";
import { kafkaBus } from "./kafka-bus.js";

describeWith("Kafka", requireKafka, () => {
  let server: BrokerServer;
  beforeAll(async () => void (server = await startKafka()));
  afterAll(() => server.stop());

  busConformance("the Kafka bus", {
    runner: { describe, test },
    open: async () => {
      const topic = await createKafkaTopic(server);
      return {
        factory: kafkaBus({ brokers: [server.address], topics: [topic] }),
        settings: { type: "kafka", topic },
        received: async () => (await readKafka(server, topic)).map(({ value }) => JSON.parse(value) as CloudEvent),
        takeDown: () => server.kill(),
        bringUp: () => server.start(),
        refused: (event) => ({ ...event, data: { ...event.data, eventData: "x".repeat(2 * MAX_BYTES) } }),
      };
    },
  });

  test("the key is the run, so its events share a partition", async () => {
    const topic = await createKafkaTopic(server);
    const factory = kafkaBus({ brokers: [server.address], topics: [topic] });
    const bus = factory.open({ type: "kafka" }, { tenantId: "t", secrets: async () => [] });
    const runIds = upTo(12).map((n) => `run-${n}`);
    const signal = AbortSignal.timeout(240_000);
    for (const seq of [1, 2]) for (const runId of runIds) await bus.publish(messageOf(eventAt(runId, seq)), signal);
    const stored = await readKafka(server, topic);
    for (const runId of runIds)
      expect(new Set(stored.filter(({ key }) => key === runId).map(({ partition }) => partition)).size).toBe(1);
    expect(new Set(stored.map(({ partition }) => partition)).size).toBe(KAFKA_PARTITIONS);
    expect(stored[0]!.headers.get("content-type")).toBe("application/cloudevents+json; charset=UTF-8");
    await bus.close!();
  });

  test("a topic that does not exist means that the bus is unavailable", async () => {
    const factory = kafkaBus({ brokers: [server.address], topics: ["nowhere"] });
    const bus = factory.open({ type: "kafka" }, { tenantId: "t", secrets: async () => [] });
    const publishing = bus.publish(messageOf(eventAt("run", 1)), AbortSignal.timeout(240_000));
    await expect(publishing).rejects.toMatchObject({ name: "BusUnavailableError" });
    await bus.close!();
  });
});

test("large messages are split", () => {
  expect(chunksOf(["aa", "b", "cccc", "é", "d"], 3)).toEqual([["aa", "b"], ["cccc"], ["é", "d"]]);
  expect(chunksOf([], 3)).toEqual([]);
});
