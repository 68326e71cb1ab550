// @module-tag B-02
/** The NATS bus on a real NATS server with JetStream, through the clients of NATS. */
import { newId } from "@runledger/contracts";
import { requireNats, startNats, MAX_BYTES, type BrokerServer } from "@runledger/test-support/brokers";
import { createNatsStream, readNats } from "@runledger/test-support/nats-client";
import { describeWith } from "@runledger/test-support/requirements";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { busConformance } from "../../testing/bus-conformance/bus-conformance.js";
import { eventAt, messageOf } from "../../testing/bus-conformance/messages.js";
import type { CloudEvent } from "../cloud-event.js";
import { natsBus } from "./nats-bus.js";

describeWith("NATS", requireNats, () => {
  let server: BrokerServer;
  beforeAll(async () => void (server = await startNats()));
  afterAll(() => server.stop());

  busConformance("the NATS bus", {
    runner: { describe, test },
    open: async () => {
      const name = newId("stream");
      await createNatsStream(server, name);
      return {
        factory: natsBus({ servers: [server.address], subjects: [name] }),
        settings: { type: "nats", subject: name },
        received: async () => (await readNats(server, name)).map(({ text }) => JSON.parse(text) as CloudEvent),
        takeDown: () => server.kill(),
        bringUp: () => server.start(),
        refused: (event) => ({ ...event, data: { ...event.data, eventData: "x".repeat(2 * MAX_BYTES) } }),
      };
    },
  });

  const open = (subject: string) =>
    natsBus({ servers: [server.address], subjects: [subject] }).open(
      { type: "nats" },
      { tenantId: "t", secrets: async () => [] },
    );
  const signal = AbortSignal.timeout(240_000);

  test("each run has its own subject, and a repeated event is stored once", async () => {
    const name = newId("stream");
    await createNatsStream(server, name);
    const bus = open(name);
    const message = messageOf(eventAt("a.b", 1));
    await bus.publish(message, signal);
    await bus.publish(message, signal);
    expect((await readNats(server, name)).map(({ subject }) => subject)).toEqual([`${name}.tenant%201.a%2Eb`]);
    await bus.close!();
  });

  test("a stream that limits the size of messages refuses an event", async () => {
    const name = newId("stream");
    await createNatsStream(server, name, { max_msg_size: 2000 });
    const bus = open(name);
    const large = messageOf(eventAt("run", 1, { text: "x".repeat(4000) }));
    await expect(bus.publish(large, signal)).rejects.toThrow("NATS refused the event");
    await bus.close!();
  });

  test("a subject without a stream means that the bus is unavailable", async () => {
    const bus = open("nowhere");
    await expect(bus.publish(messageOf(eventAt("run", 1)), signal)).rejects.toMatchObject({
      name: "BusUnavailableError",
      message: expect.stringContaining("nowhere.tenant%201.run") as string,
    });
    await bus.close!();
  });
});
