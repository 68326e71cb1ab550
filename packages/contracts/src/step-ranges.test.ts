// @module-tag R-08
/** K4: no payload can make its readers expand it to more steps than the limit. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkEvent, InputError, MAX_NAMED_STEPS, newEvent, readEventData, type Json } from "./index.js";
import { countSteps } from "./step-ranges.js";

const listing = (eventType: string, field: string, steps: Json): (() => unknown) => {
  const event = newEvent({ runId: "run-1", eventType, planVersion: "1", eventData: { [field]: steps } });
  return () => checkEvent(event);
};

const range = (from: unknown, to: unknown, container: unknown = "each"): Json =>
  ({ container, from, to, step: "one" }) as Json;

const lists = [
  ["StepsReset", "steps"],
  ["RunReopened", "steps"],
  ["RunTakenOver", "stepsInFlight"],
] as const;

test.each(lists)("%s with more steps than the limit is refused on write, and names none on read", (type, field) => {
  const most = [range(0, MAX_NAMED_STEPS - 2), "load"];
  expect(listing(type, field, most)).not.toThrow();
  expect(listing(type, field, [...most, "store"])).toThrow(`names ${MAX_NAMED_STEPS + 1} steps`);
  expect(listing(type, field, [range(0, 1e15)])).toThrow(InputError);
  const read = readEventData(type, { [field]: [range(0, 1e15), "load"] }) as Readonly<Record<string, unknown>>;
  expect(read[field]).toEqual([]);
});

test.each([
  ["a number above the safe integers, where counting up never ends", range(2 ** 53, 2 ** 53 + 2)],
  ["a fraction", range(0.5, 2)],
  ["a negative number", range(-1, 2)],
  ["an id that is too long", range(0, 2, "x".repeat(300))],
  ["no range", 7],
  ["null", null],
])("a range with %s is refused on write and skipped on read", (_, bad) => {
  expect(listing("StepsReset", "steps", ["load", bad])).toThrow("event.eventData.steps[1]");
  expect(readEventData("StepsReset", { steps: ["load", bad] }).steps).toEqual(["load"]);
});

test("the number of items of a container is limited on write and on read", () => {
  const opening = (count: Json) => {
    const parts = { runId: "r", stepId: "each", eventType: "StepStarted", planVersion: "1" };
    return () => checkEvent(newEvent({ ...parts, eventData: { opened: { count } } }));
  };
  const read = (count: Json): unknown => readEventData("StepStarted", { opened: { count } }).opened?.count;
  expect(opening(MAX_NAMED_STEPS)).not.toThrow();
  for (const count of [MAX_NAMED_STEPS + 1, 1e15, -1, 0.5, "7", null]) expect(opening(count)).toThrow("opened.count");
  expect([7, 1e15, -1, "7"].map(read)).toEqual([7, MAX_NAMED_STEPS, 0, 0]);
});

test("readers expand any list to at most the limit, and read an accepted list unchanged", () => {
  const number = fc.oneof(fc.nat(), fc.double(), fc.integer(), fc.maxSafeInteger(), fc.constant(2 ** 60));
  const part = fc.record({ container: fc.string(), from: number, to: number, step: fc.string() });
  const list = fc.array(fc.oneof(fc.string(), part, fc.jsonValue()), { maxLength: 8 });
  fc.assert(
    fc.property(fc.constantFrom(...lists), list, ([type, field], entries) => {
      const steps = JSON.parse(JSON.stringify(entries)) as Json[];
      const read = (readEventData(type, { [field]: steps }) as unknown as Record<string, never>)[field]!;
      expect(countSteps(read)).toBeLessThanOrEqual(MAX_NAMED_STEPS);
      if (isAccepted(listing(type, field, steps))) expect(read).toEqual(steps);
    }),
  );
});

function isAccepted(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}
