import { z } from "zod";
import type { DifferingRun } from "../backend.js";
import { runIdField, tool } from "../tool.js";

const MAX_STEPS = 100;

export const diffRuns = tool({
  name: "diff_runs",
  title: "Compare two runs",
  description:
    "Compares two runs step by step: version, input, and the status, error, attempts and duration of each step. Returns the " +
    "steps that differ.",
  input: z.strictObject({
    run_id: runIdField,
    other_run_id: runIdField,
    limit: z.int().min(1).max(MAX_STEPS).default(50).describe("Maximum number of steps."),
  }),
  run: async ({ backend, findRun }, { run_id, other_run_id, limit }) => {
    const [runId, otherRunId] = [await findRun(run_id), await findRun(other_run_id)];
    const { one, other, rows, ...found } = await backend.diff(runId, otherRunId);
    const different = rows.filter(({ differs }) => differs.length > 0);
    return { run: sideOf(one), other: sideOf(other), ...found, steps: different.slice(0, limit) };
  },
});

function sideOf({ runId, planId: workflow, planVersion: version, status, totalDurationMs }: DifferingRun) {
  return { runId, workflow, version, status, durationMs: totalDurationMs };
}
