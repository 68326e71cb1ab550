// @module-tag E-34
/** Replays histories that workers of this version recorded: each decision must be the same as then. */
import { builtInKinds, eventTypes, LOG_FORMAT, type PlanBody } from "@runledger/contracts";
import { compact, decide, Decider, evolve, fromCheckpoint, initialState, toCheckpoint } from "@runledger/core";
import { expect, test } from "vitest";
import { histories, planted } from "@runledger/test-support/histories";
import { replay } from "./replay.mjs";

test.each(histories)("$name folds and decides as it was recorded", (history) => {
  expect(() => replay(history)).not.toThrow();
});

test.each(Object.entries(planted))("a history with %s does not pass", (_, plant) => {
  for (const history of histories) expect(() => replay(plant(history))).toThrow(history.name);
});

test.each(histories)(
  "D4 C1: $name decides the same event by event, and from a checkpoint at any of them",
  (history) => {
    const { plan, events } = history;
    const decider = new Decider(plan);
    let state = initialState(events[0]!.runId);
    for (const event of events) {
      state = evolve(state, event);
      const all = decide(plan, state);
      for (const command of decider.apply(state, [event])) expect(all).toContainEqual(command);
      const resumed = fromCheckpoint(toCheckpoint(compact(plan, state)))!;
      expect(decide(plan, resumed)).toEqual(all);
    }
  },
);

test("there is a history with every type of event, every kind of step and every type of command", () => {
  const recorded = histories.flatMap(({ events }) => events.map(({ eventType }) => eventType));
  expect(eventTypes.filter((type) => !recorded.includes(type))).toEqual([]);
  const kinds = new Set(histories.flatMap(({ plan }) => kindsIn(plan.body)));
  expect([...builtInKinds, "function", "command", "sql", "http"].filter((kind) => !kinds.has(kind))).toEqual([]);
  const commands = new Set(histories.flatMap(({ decisions }) => decisions.flat().map(({ type }) => type)));
  const every = ["append", "run", "open", "askAgain", "awaitChild", "abort", "cancelChild"];
  expect([...commands].sort()).toEqual(every.sort());
  expect(
    histories.some(({ events }) => (events[0]!.eventData as { logFormat?: number }).logFormat === LOG_FORMAT),
  ).toBe(true);
});

function kindsIn(body: PlanBody): string[] {
  return body.steps.flatMap(({ kind, bodies = [] }) => [kind, ...bodies.flatMap(kindsIn)]);
}
