import fc from "fast-check";
import { expect, test } from "vitest";
import type { StepRow } from "@runledger/contracts";
import { StepTable } from "./step-table.js";

const row = (stepId: string, ordinal: number, attempt: number): StepRow => ({
  stepId,
  ordinal,
  status: "RUNNING",
  logicalAttemptId: String(attempt),
  artifacts: [],
});

/** Each write continues from any earlier version: versions form a tree, and none of them may change. */
const writes = fc.array(fc.record({ from: fc.nat(), step: fc.nat({ max: 5 }), attempt: fc.nat({ max: 9 }) }), {
  maxLength: 30,
});

test("every version of a step table stays what it was, whichever is read or written next", () => {
  fc.assert(
    fc.property(writes, fc.infiniteStream(fc.nat()), (steps, reads) => {
      const versions = [{ table: StepTable.empty(), model: new Map<string, StepRow>() }];
      for (const { from, step, attempt } of steps) {
        const base = versions[from % versions.length]!;
        const ordinal = base.model.get(`s${step}`)?.ordinal ?? base.model.size;
        const written = row(`s${step}`, ordinal, attempt);
        versions.push({ table: base.table.with(written), model: new Map(base.model).set(written.stepId, written) });
      }
      for (let i = 0; i < versions.length; i++) {
        const { table, model } = versions[reads.next().value % versions.length]!;
        expect(table.rows()).toEqual([...model.values()].sort((a, b) => a.ordinal - b.ordinal));
        expect(table.get("s1")).toEqual(model.get("s1"));
      }
    }),
  );
});

test("a step table starts from stored rows", () => {
  expect(
    StepTable.of([row("b", 1, 1), row("a", 0, 1)])
      .rows()
      .map(({ stepId }) => stepId),
  ).toEqual(["a", "b"]);
});
