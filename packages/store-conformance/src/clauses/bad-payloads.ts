import assert from "node:assert/strict";
import { MAX_EVENT_BYTES, MAX_SIGNAL_BYTES, type InputError } from "@runledger/contracts";
import { clause, type Fixture } from "../clause.js";
import { assertRefused, badEvent } from "../support/bad-events.js";
import { eventOf, logOf } from "../support/events.js";
import { refused, refusedInput } from "../support/refused.js";

const RUN = "run-1";

function circular(): unknown {
  const value: Record<string, unknown> = { name: "loop" };
  value["self"] = { inner: value };
  return value;
}

const deep = (levels: number): unknown =>
  Array.from({ length: levels }).reduce<unknown>((inner) => ({ inner }), "bottom");

/** The value of `rows[1]`, and the path that the error must name. */
const faults: Readonly<Record<string, readonly [value: () => unknown, path?: string]>> = {
  NaN: [() => Number.NaN],
  Infinity: [() => Number.POSITIVE_INFINITY],
  "-Infinity": [() => Number.NEGATIVE_INFINITY],
  undefined: [() => undefined],
  "a function": [() => () => 1],
  "a symbol": [() => Symbol("s")],
  "a bigint": [() => 1n],
  "a NUL in text": [() => "a\u0000b"],
  "half a surrogate pair in text": [() => "a\ud83d"],
  "half a surrogate pair, reversed": [() => "\udf01\ud83d"],
  "a Date": [() => new Date()],
  "an invalid Date": [() => new Date(Number.NaN)],
  "a Map": [() => new Map([["a", 1]])],
  "an instance of a class": [() => new URL("https://example.org")],
  "a list with a hole": [() => [1, , 3], "[1]"], // oxlint-disable-line no-sparse-arrays -- the hole is the point
  "a `__proto__` key": [() => JSON.parse('{"__proto__": {"admin": true}}') as unknown],
  "a NUL in a key": [() => ({ "a\u0000b": 1 }), " (key)"],
  "half a surrogate pair in a key": [() => ({ "a\ud800": 1 }), " (key)"],
  "undefined in an object": [() => ({ a: undefined }), ".a"],
};

type Run = (fixture: Fixture) => Promise<void>;

/** A store returns exactly the payload it was given. It refuses values that JSON would change, drop or reject (P9). */
export const badPayloads = clause("bad-payloads", [], {
  ...Object.fromEntries(
    Object.entries(faults).map(([what, [value, path = ""]]): [string, Run] => [
      `${what} in a payload is refused`,
      async ({ store }) => {
        const payload = { rows: [0, value()] };
        const event = badEvent({ eventData: payload });
        await assertRefused(store, { event, code: "PAYLOAD_NOT_JSON", field: `eventData.rows[1]${path}` });
        const call = store.appendEvent(badEvent({ engineRunRef: payload }));
        await refusedInput(call, "PAYLOAD_NOT_JSON", `event.engineRunRef.rows[1]${path}`);
      },
    ]),
  ),

  "a payload that is undefined or missing is refused": async ({ store }) => {
    const event = badEvent({ eventData: undefined });
    await assertRefused(store, { event, code: "PAYLOAD_NOT_JSON", field: "eventData" });
    const { eventData: _, ...missing } = badEvent({});
    await refusedInput(store.appendEvent(missing as never), "PAYLOAD_NOT_JSON", "event.eventData");
  },

  ...Object.fromEntries(
    Object.entries({ "that refers to itself": circular, "1,000 levels deep": () => deep(1000) }).map(
      ([what, value]): [string, Run] => [
        `a payload ${what} is refused`,
        async ({ store }) => {
          const event = badEvent({ eventData: value() });
          const field = await fieldOf(store.appendEvent(event));
          await assertRefused(store, { event, code: "PAYLOAD_NOT_JSON", field });
        },
      ],
    ),
  ),

  "P9: a payload over 256 KB is refused, counted in bytes": async ({ store }) => {
    const event = badEvent({ eventData: { text: "x".repeat(MAX_EVENT_BYTES) } });
    await assertRefused(store, { event, code: "PAYLOAD_TOO_LARGE", field: "eventData" });
    const wide = badEvent({ eventData: "日".repeat(MAX_EVENT_BYTES / 3) });
    await refusedInput(store.appendEvent(wide), "PAYLOAD_TOO_LARGE", "event.eventData");
  },

  "P9: a signal's payload is limited to 64 KB": async ({ store }) => {
    const signal = (bytes: number) =>
      eventOf(RUN, "SignalAccepted", { logicalAttemptId: "signal-1", eventData: "x".repeat(bytes) });
    await refusedInput(store.appendEvent(signal(MAX_SIGNAL_BYTES - 1)), "PAYLOAD_TOO_LARGE", "event.eventData");
    await store.appendEvent(signal(MAX_SIGNAL_BYTES - 2));
    assert.equal((await logOf(store, RUN)).length, 1);
  },

  "a reference over 16 KB is refused": async ({ store }) => {
    const event = badEvent({ engineRunRef: "x".repeat(16 * 1024) });
    await assertRefused(store, { event, code: "PAYLOAD_TOO_LARGE", field: "engineRunRef" });
  },
});

/** Returns the field that the error names, somewhere below the payload. */
async function fieldOf(call: Promise<unknown>): Promise<string> {
  const { field } = await refused<InputError>(call, "PAYLOAD_NOT_JSON");
  assert.match(field, /^event\.eventData/);
  return field.replace("event.", "");
}
