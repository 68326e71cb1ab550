import { randomBytes } from "node:crypto";
import { newEvent } from "@runledger/contracts";

/** @typedef {import("@runledger/contracts").NewEvent} NewEvent */

/** A run id that sorts by time: UUID version 7. */
export function newRunId() {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** @param {number} count */
export const newRunIds = (count) => Array.from({ length: count }, newRunId);

/**
 * Creates `StepCompleted` events, each for another step. It never returns an event twice.
 * @param {readonly string[]} runIds
 */
export function eventSource(runIds) {
  let made = 0;
  const random = repeatable();
  const pick = () => /** @type {string} */ (runIds[Math.floor(random() * runIds.length)]);
  return {
    /** @param {number} count */
    take: (count) => Array.from({ length: count }, () => stepCompleted(pick(), made++)),
    /**
     * All of one run.
     * @param {number} count
     */
    takeOfOneRun: (count) => {
      const runId = pick();
      return Array.from({ length: count }, () => stepCompleted(runId, made++));
    },
  };
}

/**
 * @param {string} runId
 * @param {number} step
 */
export function stepCompleted(runId, step) {
  const event = newEvent({
    runId,
    stepId: `tables/${step}/analyze`,
    eventType: "StepCompleted",
    engineAttemptId: "1",
    planId: "nightly-orders",
    planVersion: "1.4.0",
    eventData: { output: { table: `warehouse.orders_${step % 97}`, rows: step * 31, checksum: `c${step}`, ok: true } },
  });
  JSON.stringify(event); // flattens concatenated strings now, so that the first reader does not pay for it
  return event;
}

/** The same sequence in every process (xorshift), so that two runs of a bench meet the same collisions. */
function repeatable() {
  let state = 0x9e3779b9;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
