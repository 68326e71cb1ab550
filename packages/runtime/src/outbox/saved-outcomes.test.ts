import type { DeliveryOutcome, OutboxStore } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { SavedOutcomes } from "./saved-outcomes.js";

const outcome = (runId: string): DeliveryOutcome => ({ number: 1, runId, token: "claim", deliveredSeq: 1 });

test.each(Array.from({ length: 10 }, (_, turns) => turns))(
  "an outcome that is added %i turns after others were saved is saved",
  async (turns) => {
    const saved: string[] = [];
    const outbox: OutboxStore = {
      ...new MemoryStore().outbox,
      saveDeliveries: async (outcomes) => void saved.push(...outcomes.map(({ runId }) => runId)),
    };
    let added: Promise<void> | null = null;
    const addLater = async (): Promise<void> => {
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      outcomes.add(outcome("second"));
    };
    const onSettled = (): void => void (added ??= addLater());
    const outcomes = new SavedOutcomes({ outbox, at: () => {}, fault: () => {}, onSettled });
    outcomes.add(outcome("first"));
    await setImmediate();
    await outcomes.settled();
    expect(saved).toEqual(["first", "second"]);
  },
);
