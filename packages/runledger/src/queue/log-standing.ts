/** What a run's log says of why it rests. */
import { workerGap, workerGapText, type FullStateStore, type Plan, type StepRow } from "@runledger/contracts";
import { indexPlan, pathOf, type LogStanding, type RunState, type WaitReason } from "@runledger/core";

export async function standingOf(store: FullStateStore, state: RunState): Promise<LogStanding> {
  const { planId = "", planVersion = "", logFormat = 1 } = state.details;
  const needs = { planId, planVersion, logFormat };
  const gap = workerGap(await store.leases.listWorkers(), needs);
  const published = await store.plans.loadPlan({ planId, planVersion });
  return {
    paused: state.status === "PAUSED",
    waits: published === null ? [] : waitsOf(published, state),
    noWorker: gap === null ? null : workerGapText(gap, needs),
  };
}

function waitsOf(plan: Plan, state: RunState): readonly WaitReason[] {
  const approved = state.status !== "PENDING" || state.ordinals["RunApproved"] !== undefined;
  if (plan.approval && !approved) return [{ kind: "approval" }];
  return state.steps.rows().flatMap((row) => waitOf(plan, row) ?? []);
}

function waitOf(plan: Plan, row: StepRow): WaitReason | null {
  const { stepId, status, retryAt, opened, startedAt } = row;
  if (retryAt !== undefined) return { kind: "timer", stepId, until: retryAt };
  const step = indexPlan(plan).get(pathOf(stepId));
  if (status !== "RUNNING" || step === undefined) return null;
  const after = (ms: number | undefined): string | null =>
    ms === undefined || startedAt === undefined ? null : new Date(Date.parse(startedAt) + ms).toISOString();
  if (step.kind === "wait") return { kind: "signal", signal: step.signal!, stepId, until: after(step.timeoutMs) };
  if (step.kind === "child") return { kind: "child", stepId, runId: opened!.childRunId! };
  const until = step.kind === "sleep" ? (opened?.until ?? after(step.forMs)) : null;
  return until === null ? null : { kind: "timer", stepId, until };
}
