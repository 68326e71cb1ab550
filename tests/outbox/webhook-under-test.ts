import type { CloudEvent } from "runledger";
import type { BusUnderTest } from "runledger/testing";
import { webhookBus } from "@runledger/runtime/outbox/webhook/webhook-bus";
import { expect } from "vitest";
import { Receiver } from "./receiver.js";

const KEYS = ["whsec_b2xkLW9sZC1vbGQtb2xk", "whsec_c2VjcmV0LXNlY3JldA=="];

/** A webhook and its receiver, for the suite of buses. */
export async function webhookUnderTest(settings: { readonly batchSize?: number }): Promise<BusUnderTest> {
  const receiver = await new Receiver(...KEYS).start();
  receiver.answer = ({ events }) => (events.some(({ data }) => data.eventData === "refused") ? 422 : 204);
  return {
    factory: webhookBus({ allow: ["127.0.0.1"] }),
    settings: { type: "webhook", url: receiver.url, secrets: ["old", "new"], ...settings },
    secrets: async () => KEYS,
    received: async () => receiver.events as readonly unknown[] as readonly CloudEvent[],
    takeDown: () => receiver.stop(),
    bringUp: async () => void (await receiver.start()),
    refused: (event) => ({ ...event, data: { ...event.data, eventData: "refused" } }),
    close: async () => {
      await receiver.stop();
      expect(receiver.unsigned).toBe(0);
    },
  };
}
