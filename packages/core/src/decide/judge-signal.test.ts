// @module-tag R-02
/** Which signals a run accepts in its current state, and how much room its limits leave (G1, P9). */
import { expect, test } from "vitest";
import { action, after, planOf, ran, running, signal, started, timeOf, work } from "@runledger/test-support/decide";
import { run, step, type Draft } from "@runledger/test-support/given";
import { hasRoomFor, judgeSignal, MAX_UNTAKEN, nextSignalAt } from "../index.js";

const plan = planOf([work("a"), { id: "ok", kind: "wait", signal: "go" }]);
const many = (count: number, draft: (index: number) => Draft): Draft[] =>
  Array.from({ length: count }, (_, index) => draft(index));
const waiting = step("ok", "Started", "1", { waitsFor: "signal go" });

test("G1: a run accepts signals until it finishes", () => {
  expect(judgeSignal(after(plan, run("Queued")).state).accepted).toBe(true);
  expect(judgeSignal(running(plan, run("Paused")).state).accepted).toBe(true);
  expect(judgeSignal(running(plan, run("Completed")).state)).toMatchObject({ reason: "the run is COMPLETED" });
});

test("P9: a run keeps 500 untaken signals, and always accepts one that a step waits for", () => {
  const almost = running(plan, waiting, ...many(MAX_UNTAKEN - 1, (index) => signal("other", `s${index}`)));
  expect(hasRoomFor(almost.state, "other")).toBe(true);
  const full = almost.and(signal("other", "last"));
  expect(hasRoomFor(full.state, "other")).toBe(false);
  expect(hasRoomFor(full.state, "go")).toBe(true);
  expect(hasRoomFor(full.and(signal("go", "g")).state, "go")).toBe(false);
});

test("P9: sixty signals per minute, by the times at which they were stored; rejected ones count", () => {
  const rejected = { ...signal("go", "no"), eventType: "SignalRejected" };
  const almost = running(plan, ...many(58, (index) => signal("go", `s${index}`)), rejected);
  expect(nextSignalAt(almost.state, "signal")).toBeUndefined();
  const full = almost.and(signal("go", "last"));
  expect(nextSignalAt(full.state, "signal")).toBe(timeOf(2, 60_000));
  expect(nextSignalAt(full.and(signal("go", "next")).state, "signal")).toBe(timeOf(3, 60_000));
});

test("P9: actions are counted apart, and those of the engine not at all", () => {
  const signals = running(plan, ...many(60, (index) => signal("go", `s${index}`)));
  expect(nextSignalAt(signals.state, "action")).toBeUndefined();
  const engine = running(plan, ...many(60, (index) => action("TIMEOUT", `t${index}`, "a")));
  expect(nextSignalAt(engine.state, "action")).toBeUndefined();
  const actions = running(plan, ...many(60, (index) => action("SKIP_STEP", `a${index}`, "a")));
  expect(nextSignalAt(actions.state, "action")).toBe(timeOf(2, 60_000));
  expect(nextSignalAt(actions.state, "signal")).toBeUndefined();
});

test("P9: signals to a finished run are counted, too", () => {
  const rejected = (index: number): Draft => ({ ...signal("go", `s${index}`), eventType: "SignalRejected" });
  const ended = running(plan, run("Completed"), ...many(60, rejected));
  expect(nextSignalAt(ended.state, "signal")).toBe(timeOf(3, 60_000));
});

test("G1: the event that finishes a run has the number of signals that no step has taken", () => {
  const both = [signal("go", "s1"), signal("go", "s2"), signal("go", "s3")];
  const taken = { ...step("ok", "Completed", "1", { signalId: "s1" }), causedBySignalId: "s1" };
  running(plan, ran("a"), ...both, started("ok"), taken).decides(
    'append RunCompleted#1 {"output":null,"untakenSignals":2} at the head',
  );
  const error = { code: "BROKEN", message: "no", retryable: true };
  running(plan, ...both, step("a", "Failed", "1", { error }), started("ok"), taken).decides(
    `append RunFailed#1 ${JSON.stringify({ error, culprit: "a", untakenSignals: 2 })} at the head`,
  );
  running(plan, ...both, action("CANCEL", "c")).decides('append RunCancelled#1 {"untakenSignals":3} by c at the head');
});
