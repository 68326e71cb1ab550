// @module-tag S-06
/** Compares the procedures (bodies in a VM, statements on the emulator) with the store of the same contract. */
import { newEvent, type AppendResult, type NewEvent, type RunledgerError } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { SnowflakeStore } from "@runledger/store-snowflake";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeWith, requireTool } from "@runledger/test-support/requirements";
import { startEmulator, type Emulator } from "@runledger/test-support/snowflake-emulator.mjs";
import { callProcedure, definitionOf } from "./procedure-host.js";

const TEN_MINUTES = 600_000;

interface Call {
  readonly events: readonly NewEvent[];
  readonly options?: { readonly expectedSeq?: number; readonly mustExist?: boolean; readonly tenantId?: string };
}

/** Pseudorandom numbers that are the same every time. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => (state = (state * 48_271) % 2_147_483_647) % below;
}

/** Calls with duplicates, conflicts, several runs, and conditions that hold or fail. */
function callsOf(seed: number, count: number): Call[] {
  const below = random(seed);
  const event = (): NewEvent =>
    newEvent({
      runId: `run-${below(3)}`,
      stepId: `step ${below(12)} 日'"`,
      eventType: below(4) === 0 ? "CustomAudited" : "StepStarted",
      planVersion: "1",
      eventData: below(3) === 0 ? { other: below(3) } : { rows: [1, { b: null, a: "?;" }] },
    });
  return Array.from({ length: count }, () => {
    if (below(4) > 0) return { events: Array.from({ length: 1 + below(4) }, event) };
    const one = event();
    return { events: [one], options: below(2) === 0 ? { expectedSeq: below(6) } : { mustExist: true } };
  });
}

type Outcome = readonly AppendResult[] | string;

async function onStore(store: MemoryStore, { events, options }: Call): Promise<Outcome> {
  return store.appendEvents(events, options).catch((error: unknown) => (error as RunledgerError).message);
}

describeWith("procedures on Snowflake's emulator", [requireTool("python3")], () => {
  let emulator: Emulator;
  beforeAll(async () => void (emulator = await startEmulator()), TEN_MINUTES);
  afterAll(() => emulator.stop());

  describe.each(["hybrid", "standard"] as const)("%s tables", (shape) => {
    const url = (): string => emulator.url(`PROCEDURES_${shape}`, { shape });
    const call = (name: string, values: readonly unknown[]) => callProcedure(url(), definitionOf(name, shape), values);

    test("APPEND_EVENTS returns and stores the same as the TypeScript path", { timeout: TEN_MINUTES }, async () => {
      const reference = new MemoryStore();
      await using store = await SnowflakeStore.open({ url: url(), gatheringWindowMs: 0 });
      for (const [index, each] of callsOf(7, 24).entries()) {
        const expected = await onStore(reference, each);
        const { result, error } = await call("APPEND_EVENTS", [each.events, each.options ?? null]);
        expect(result ?? error, `call ${index}`).toEqual(expected);
      }
      for (const { runId } of await reference.listHeads()) {
        const ours = (await store.fetchEvents(runId)).map(({ persistedAt: _, ...event }) => event);
        const theirs = (await reference.fetchEvents(runId)).map(({ persistedAt: _, ...event }) => event);
        expect(ours).toEqual(theirs);
      }
    });

    test(
      "APPEND_EVENT accepts the parameters of the specification and refuses a key that does not match",
      { timeout: TEN_MINUTES },
      async () => {
        const event = newEvent({ runId: "one", stepId: "load", eventType: "StepCompleted", planVersion: "1.2.0" });
        const values = (key: string) => [
          event.runId,
          event.eventId,
          "load",
          "1",
          "1",
          event.eventType,
          { exitCode: 0 },
          key,
          null,
          null,
          event.emittedAt,
          "temporal-v1.2.3",
          { workflowId: "wf-1" },
          "1.2.0",
          null,
        ];
        const first = await call("APPEND_EVENT", values(event.idempotencyKey));
        expect(first.result, first.error).toEqual({ RUN_SEQ: 1, IDEMPOTENT: false, PERSISTED: true });
        const again = await call("APPEND_EVENT", values(event.idempotencyKey));
        expect(again.result).toEqual({ RUN_SEQ: 1, IDEMPOTENT: true, PERSISTED: false });
        expect((await call("APPEND_EVENT", values("0".repeat(64)))).error).toContain("idempotencyKey");
      },
    );
  });
});
