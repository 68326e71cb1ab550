// @module-tag S-03
/** Golden SQL: the statements of an append in the order in which they are sent. */
import { newEvent } from "@runledger/contracts";
import { prepareCall } from "@runledger/core/store";
import { expect, test } from "vitest";
import { appendLock } from "./append-lock.js";
import { appendCalls } from "./append-slow.js";

const event = (runId: string, stepId: string) =>
  newEvent({
    runId,
    stepId,
    eventType: "StepStarted",
    planVersion: "1",
    eventId: "00000000-0000-4000-8000-000000000001",
    emittedAt: "2026-11-14T08:00:00.000Z",
    eventData: { rows: [1] },
  });

const { runs } = prepareCall([event("run-2", "a"), event("run-1", "a"), event("run-2", "b")]);
const checkpoint = { runId: "run-1", seq: 0, format: 1, data: "{}", checksum: "0".repeat(64) };
const [withCheckpoint] = prepareCall([event("run-1", "a")], { checkpoint }).runs;

test.each(["hybrid", "standard"] as const)(
  "an append on %s tables sends each batch as one JSON parameter",
  async (shape) => {
    const script = [...appendLock(shape), ...appendCalls([...runs, withCheckpoint!])].map(
      ({ text, values = [] }) => `${text.trim()};\n${values.map((value) => `-- ${value}\n`).join("")}`,
    );
    await expect(script.join("\n")).toMatchFileSnapshot(`golden/append-${shape}.sql`);
  },
);
