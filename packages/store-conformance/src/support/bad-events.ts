import assert from "node:assert/strict";
import { idempotencyKey, type ErrorCode, type NewEvent, type StateStore } from "@runledger/contracts";
import { logOf, placesOf, stepOf } from "./events.js";
import { refusedInput } from "./refused.js";

export const BAD_RUN = "run-1";

/** An event with something wrong in it; its key is right, unless the key is what is wrong. */
export function badEvent(wrong: Readonly<Record<string, unknown>>): NewEvent {
  const event = { ...stepOf(BAD_RUN, "bad"), ...wrong } as NewEvent;
  return { ...event, idempotencyKey: keyOf(event), ...wrong };
}

function keyOf(event: NewEvent): string {
  try {
    return idempotencyKey(event);
  } catch {
    return "0".repeat(64); // parts that make no key are refused for themselves
  }
}

export interface Fault {
  readonly event: NewEvent;
  readonly code: ErrorCode;
  /** Which field of the event is named; empty = the event itself. */
  readonly field: string;
}

/**
 * A bad event is refused with a clear code that names its field; alone, among good ones of its call, and in the midst
 * of other calls, which do not notice. Nothing of its call is written.
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
