import type { Step } from "@runledger/client";
import { expect, test } from "vitest";
import { align } from "./align.js";

function step(stepId: string, status: Step["status"] = "SUCCESS", logicalAttemptId = "1"): Step {
  return { stepId, status, logicalAttemptId, ordinal: 0, artifacts: [] };
}

test("[U-33] two runs are aligned step by step, and what differs is named", () => {
  const a = [step("extract"), step("load"), step("old"), step("publish")];
  const b = [step("first"), step("extract"), step("load", "FAILED"), step("new"), step("publish", "SUCCESS", "2")];
  expect(align(a, b).map(({ stepId, difference }) => [stepId, difference])).toEqual([
    ["first", "only in B"],
    ["extract", null],
    ["load", "outcome"],
    ["new", "only in B"],
    ["old", "only in A"],
    ["publish", "attempts"],
  ]);
});
