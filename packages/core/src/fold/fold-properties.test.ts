// @module-tag L-11
import fc from "fast-check";
import { expect, test } from "vitest";
import { foldOneByOne, numbered, RUN_ID, type Draft } from "@runledger/test-support/given";
import {
  createSnapshotProjector,
  evolveAll,
  fromRunSnapshot,
  initialState,
  toRunHeader,
  toRunSnapshot,
  toRunState,
} from "../index.js";
import { eventTypes } from "@runledger/contracts";

const stepIds = ["a", "b", "each/0/one", "each/1/one"];
const payload = fc.constantFrom(
  {},
  { patch: { n: 1, deep: { x: null } } },
  { patch: { deep: { x: 2 } }, artifacts: [{ uri: "s3://1", kind: "k" }] },
  { error: { code: "E", message: "m", retryable: true }, retryAt: "2026-11-15T00:00:00.000Z" },
  { steps: ["a", { container: "each", from: 0, to: 1, step: "one" }], stepsInFlight: ["a", "b"], epoch: 2 },
  { state: { n: 0, deep: { x: 1 } }, tenantId: "t", output: 3 },
);
const draft: fc.Arbitrary<Draft> = fc
  .record({
    type: fc.constantFrom(...eventTypes, "Unknown"),
    stepId: fc.constantFrom(...stepIds),
    attempt: fc.integer({ min: 1, max: 3 }),
    data: payload,
  })
  .map(({ type, stepId, attempt, data }) => ({
    eventType: type,
    attempt: String(attempt),
    data,
    ...(/^Step(Started|Completed|Failed|Skipped)$/.test(type) ? { stepId } : {}),
  }));
const history = fc.array(draft, { maxLength: 40 }).map((drafts) => numbered(drafts));

test("folding at once, one by one and in any split gives the same state", () => {
  fc.assert(
    fc.property(history, fc.nat(), (events, cut) => {
      const whole = toRunSnapshot(evolveAll(initialState(RUN_ID), events));
      const at = cut % (events.length + 1);
      const [head, tail] = [events.slice(0, at), events.slice(at)];
      expect(toRunSnapshot(foldOneByOne(initialState(RUN_ID), events).at(-1)!)).toEqual(whole);
      expect(toRunSnapshot(evolveAll(evolveAll(initialState(RUN_ID), head), tail))).toEqual(whole);
    }),
  );
});

test("F1: events that come again, in any number, change nothing", () => {
  fc.assert(
    fc.property(history, fc.nat(), (events, cut) => {
      const again = [...events, ...events.slice(0, cut % (events.length + 1))];
      const [once, twice] = [events, again].map((log) => toRunSnapshot(evolveAll(initialState(RUN_ID), log)));
      expect(twice).toEqual(once);
    }),
  );
});

test("rule 2: no later event changes a state or snapshot that was taken before", () => {
  fc.assert(
    fc.property(history, (events) => {
      const states = foldOneByOne(initialState(RUN_ID), events);
      const copies = events.map((_, index) =>
        JSON.stringify(toRunSnapshot(evolveAll(initialState(RUN_ID), events.slice(0, index)))),
      );
      copies.forEach((copy, index) => expect(JSON.stringify(toRunSnapshot(states[index]!))).toBe(copy));
    }),
  );
});

test("F4, F7: a state goes through header and rows, or through its snapshot, without loss", () => {
  fc.assert(
    fc.property(history, fc.nat(), (events, cut) => {
      const at = cut % (events.length + 1);
      const state = evolveAll(initialState(RUN_ID), events.slice(0, at));
      const whole = toRunSnapshot(evolveAll(initialState(RUN_ID), events));
      const rows = toRunState(structuredClone(toRunHeader(state)), structuredClone(state.steps.rows()));
      expect(toRunSnapshot(evolveAll(rows, events.slice(at)))).toEqual(whole);
      const read = fromRunSnapshot(structuredClone(toRunSnapshot(state)));
      expect(toRunSnapshot(evolveAll(read, events.slice(at)))).toEqual(whole);
    }),
  );
});

test("snapshots are frozen all the way down", () => {
  fc.assert(
    fc.property(history, (events) => {
      const open: unknown[] = [toRunSnapshot(evolveAll(initialState(RUN_ID), events))];
      for (let value = open.pop(); value !== undefined; value = open.pop()) {
        expect(Object.isFrozen(value)).toBe(true);
        open.push(
          ...Object.values(value as Record<string, unknown>).filter(
            (part) => typeof part === "object" && part !== null,
          ),
        );
      }
    }),
  );
});

test(
  "projectRun and incrementalProject agree for any split and any order within a page",
  { tags: ["L-12"] },
  async () => {
    const projector = createSnapshotProjector();
    await fc.assert(
      fc.asyncProperty(history, fc.nat(), async (events, cut) => {
        const at = cut % (events.length + 1);
        const whole = await projector.projectRun(RUN_ID, [...events].reverse());
        const first = await projector.projectRun(RUN_ID, events.slice(0, at));
        expect(await projector.incrementalProject(first, events)).toEqual(whole);
        expect(whole).toEqual(toRunSnapshot(evolveAll(initialState(RUN_ID), events)));
      }),
    );
  },
);
