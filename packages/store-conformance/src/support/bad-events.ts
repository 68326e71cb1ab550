import assert from "node:assert/strict";
import { idempotencyKey, type ErrorCode, type NewEvent, type StateStore } from "@runledger/contracts";
import { logOf, placesOf, stepOf } from "./events.js";
import { refusedInput } from "./refused.js";

export const BAD_RUN = "run-1";

/** Builds an event with a fault. Its key is correct unless the key is the fault. */
export function badEvent(wrong: Readonly<Record<string, unknown>>): NewEvent {
  const event = { ...stepOf(BAD_RUN, "bad"), ...wrong } as NewEvent;
  return { ...event, idempotencyKey: keyOf(event), ...wrong };
}

function keyOf(event: NewEvent): string {
  try {
    return idempotencyKey(event);
  } catch {
    return "0".repeat(64); // parts that make no key are refused themselves
  }
}

export interface Fault {
  readonly event: NewEvent;
  readonly code: ErrorCode;
  /** The field that the error names. Empty for the event itself. */
  readonly field: string;
}

/**
 * Asserts that a bad event is refused with a code and its field: alone, among valid events of its call, and next to
 * other calls, which are not affected. Nothing of its call is written.
 */
export async function assertRefused(store: StateStore, { event, code, field }: Fault): Promise<void> {
  const at = (where: string): string => (field === "" ? where : `${where}.${field}`);
  await store.appendEvent(stepOf(BAD_RUN, "before"));
  const call = [stepOf(BAD_RUN, "good"), event, stepOf("run-3", "good")];
  await Promise.all([
    store.appendEvent(stepOf(BAD_RUN, "a")),
    refusedInput(store.appendEvent(event), code, at("event")),
    store.appendEvent(stepOf("run-2", "c")),
    refusedInput(store.appendEvents(call), code, at("events[1]")),
    store.appendEvents([stepOf("run-2", "d")]),
    store.appendEvent(stepOf(BAD_RUN, "b")),
  ]);
  assert.deepEqual(placesOf(await logOf(store, BAD_RUN)), [
    [1, "before"],
    [2, "a"],
    [3, "b"],
  ]);
  assert.deepEqual(
    (await store.listHeads()).map(({ runId, headSeq }) => [runId, headSeq]),
    [
      [BAD_RUN, 3],
      ["run-2", 2],
    ],
  );
}
