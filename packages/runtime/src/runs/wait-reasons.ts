/** Derives from a run's log why it is not running. */
import {
  DEFAULT_TENANT,
  workerGap,
  workerGapText,
  type FullStateStore,
  type Plan,
  type StepRow,
} from "@runledger/contracts";
import { indexPlan, pathOf, type LogStanding, type RunState, type WaitReason } from "@runledger/core";
import { needsOf } from "./runnable.js";

export async function readWaits(store: FullStateStore, state: RunState): Promise<LogStanding> {
  const { planId = "", planVersion = "", logFormat = 1, tenantId = DEFAULT_TENANT } = state.details;
  const needs = { planId, planVersion, logFormat, tenantId };
  const gap = workerGap(await store.leases.listWorkers(), needs);
  const published = await store.plans.loadPlan({ planId, planVersion });
  return {
    paused: state.status === "PAUSED",
    waits: published === null ? [] : waitsOf(published, state),
    noWorker: gap === null ? null : workerGapText(gap, needs) + (published === null ? "" : needsText(published)),
  };
}

/** `, which needs a runner for mail` */
function needsText(plan: Plan): string {
  const { kinds, children } = needsOf(plan);
  const workflows = children.map(({ planId, planVersion }) => `workflow ${planId} ${planVersion}`);
  const all = [...kinds.map((kind) => `a runner for ${kind}`), ...new Set(workflows)];
  return all.length === 0 ? "" : `, which needs ${all.join(" and ")}`;
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
