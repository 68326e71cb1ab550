import type { RunHeader } from "@runledger/contracts";
import { isTerminal } from "@runledger/core";
import { z } from "zod";
import { explainFailure } from "../explain/failure.js";
import { changesSinceSuccess } from "../explain/last-success.js";
import { explainWait } from "../explain/wait.js";
import { runIdField, tool } from "../tool.js";

export const explainRun = tool({
  name: "explain_run",
  title: "Explain a run",
  description:
    "Explains one run: why it failed (step, error, cause, attempts, and what a retry would run again), why it is queued " +
    "or waits, and what has changed since the last successful run of the same workflow.",
  input: z.strictObject({ run_id: runIdField }),
  run: async ({ backend, findRun }, { run_id }) => {
    const run = await backend.getRun(await findRun(run_id));
    const isFailed = run.status === "FAILED" || run.status === "CANCELLED";
    const [failure, wait, changes] = await Promise.all([
      isFailed ? explainFailure(backend, run) : undefined,
      isTerminal(run.status) ? undefined : explainWait(backend, run),
      changesSinceSuccess(backend, run),
    ]);
    return { run: factsOf(run), failure, wait, sinceLastSuccess: changes };
  },
});

/** Leaves out payloads: input, output and state. */
function factsOf(run: RunHeader) {
  const { runId, planId: workflow, planVersion: version, status, createdAt, startedAt, completedAt } = run;
  const { totalDurationMs: durationMs, deadlineAt, startedBy, labels, parent, schedule, fork, stepCount } = run;
  const { failedSteps, erased, stale, lastEventSeq: seq } = run;
  const times = { createdAt, startedAt, completedAt, durationMs, deadlineAt };
  const origin = { startedBy, labels, parent, schedule, fork };
  return { runId, workflow, version, status, seq, ...times, ...origin, stepCount, failedSteps, erased, stale };
}
