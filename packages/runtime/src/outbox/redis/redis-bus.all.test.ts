// @module-tag B-02
/** The Redis bus on a real Redis, through the client `redis`. */
import { newId } from "@runledger/contracts";
import { requireRedis, startRedis, MAX_BYTES, type BrokerServer } from "@runledger/test-support/brokers";
import { readRedis, redisUrl } from "@runledger/test-support/redis-client";
import { describeWith } from "@runledger/test-support/requirements";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { busConformance } from "../../testing/bus-conformance/bus-conformance.js";
import { eventAt, messageOf, upTo } from "../../testing/bus-conformance/messages.js";
import type { CloudEvent } from "../cloud-event.js";
import { redisBus } from "./redis-bus.js";

describeWith("Redis", requireRedis, () => {
  let server: BrokerServer;
  beforeAll(async () => void (server = await startRedis()));
  afterAll(() => server.stop());

  const url = () => redisUrl(server);

  busConformance("the Redis bus", {
    runner: { describe, test },
    open: async () => {
      const stream = newId("stream");
      return {
        factory: redisBus({ url: url(), streams: [stream], maxEventBytes: MAX_BYTES }),
        settings: { type: "redis", stream },
        received: async () => (await readRedis(server, stream)).map(({ event }) => JSON.parse(event!) as CloudEvent),
        takeDown: () => server.kill(),
        bringUp: () => server.start(),
        refused: (event) => ({ ...event, data: { ...event.data, eventData: "x".repeat(2 * MAX_BYTES) } }),
      };
    },
  });

  test("an entry has fields to select by, and a stream can be limited", async () => {
    const stream = newId("stream");
    const factory = redisBus({ url: url(), streams: ["other", stream], maxLength: 100 });
    const bus = factory.open({ type: "redis", stream }, { tenantId: "t", secrets: async () => [] });
    const signal = AbortSignal.timeout(60_000);
    for (let round = 0; round < 10; round++)
      await bus.publish(messageOf(...upTo(100).map((seq) => eventAt("run", seq))), signal);
    const entries = await readRedis(server, stream);
    expect(entries.length).toBeLessThan(400); // Redis removes whole nodes
    expect(entries.at(-1)).toMatchObject({ type: "dev.runledger.StepStarted", partitionkey: "run" });
    await bus.close!();
  });

  test("a subscription can only name the streams that the process allows", () => {
    const { check } = redisBus({ url: url(), streams: ["events"] });
    expect(() => check!({ type: "redis", stream: "sessions" })).toThrow("bus.stream: must be one of events.");
    expect(() => check!({ type: "redis", url: "redis://10.0.0.1" })).toThrow("bus.url: is not a setting");
  });
});
