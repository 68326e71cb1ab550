// @module-tag R-02
/** When a store records a verdict on a signal, and when it refuses it (G1, P9). */
import { newEvent } from "@runledger/contracts";
import { expect, test } from "vitest";
import { prepareCall } from "./append-call.js";
import { verdictRefusal } from "./verdict-holds.js";

const NOW = "2026-11-14T08:00:00.000Z";
const run = { runId: "r", headSeq: 9, later: [], persistedAt: Date.parse(NOW) };

test("G1: a verdict holds unless a run-level event or an event of its step came later", () => {
  expect(verdictRefusal({ seq: 9 }, run)).toBeNull();
  expect(verdictRefusal({ seq: 7 }, { ...run, later: [{ stepId: "a" }, { stepId: "b" }] })).toBeNull();
  const changed = [
    verdictRefusal({ seq: 7, stepId: "b" }, { ...run, later: [{ stepId: "a" }, { stepId: "b" }] }),
    verdictRefusal({ seq: 7 }, { ...run, later: [{ stepId: "a" }, {}] }),
  ];
  for (const refusal of changed) expect(refusal).toMatchObject({ code: "SEQ_MISMATCH", expectedSeq: 7, headSeq: 9 });
});

test("P9: the time of the append decides", () => {
  expect(verdictRefusal({ seq: 9, notBefore: NOW }, run)).toBeNull();
  const notBefore = "2026-11-14T08:00:00.001Z";
  expect(verdictRefusal({ seq: 9, notBefore }, run)).toMatchObject({ code: "SIGNAL_LIMIT", notBefore });
});

test("conditions of a verdict are checked, and imply that the run exists", () => {
  const event = newEvent({ runId: "r", eventType: "SignalAccepted", planVersion: "1", logicalAttemptId: "s" });
  const judgedAt = { seq: 3, stepId: "a", notBefore: NOW };
  expect(prepareCall([event], { judgedAt }).runs).toMatchObject([{ judgedAt, mustExist: true }]);
  for (const bad of [{ seq: 0 }, { seq: 1, notBefore: "soon" }, { seq: 1, notBefore: "2026-02-30T00:00:00.000Z" }])
    expect(() => prepareCall([event], { judgedAt: bad })).toThrow("options.judgedAt");
});
