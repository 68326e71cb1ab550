/** Describes what an action would do, for the person who confirms it. */
import type { RunHeader, StepRow } from "@runledger/contracts";
import { indexPlan, pathOf } from "@runledger/core";
import type { ActionPreview, McpBackend } from "../backend.js";
import type { Intent } from "../confirmations.js";
import { readSteps, stateOf } from "../explain/steps.js";

const MAX_NAMED = 50;

export interface Effect {
  readonly runId: string;
  readonly workflow: string | undefined;
  readonly version: string | undefined;
  readonly status: string;
  readonly seq: number;
  readonly action: string;
  readonly stepId: string | undefined;
  /** Sentences for people. */
  readonly summary: string;
  readonly runsAgain?: Named;
  readonly keptCount?: number | undefined;
  readonly aborts?: Named;
  readonly compensates?: Named;
}

interface Named {
  readonly count: number;
  readonly steps: readonly string[];
}

interface Previewed {
  readonly intent: Intent;
  readonly outcome: ActionPreview;
}

export async function effectOf(backend: McpBackend, run: RunHeader, { intent, outcome }: Previewed): Promise<Effect> {
  const { runId, planId: workflow, planVersion: version, status, lastEventSeq: seq } = run;
  const facts = { runId, workflow, version, status, seq, action: intent.action, stepId: intent.stepId };
  return { ...facts, ...(intent.action === "CANCEL" ? await cancelEffect(backend, run) : retryEffect(outcome)) };
}

function retryEffect({ runsAgain = [], runsAgainCount = runsAgain.length, keptCount }: ActionPreview) {
  const summary = `${runsAgainCount} steps run again; ${keptCount ?? 0} completed steps are kept.`;
  return { summary, runsAgain: { count: runsAgainCount, steps: runsAgain.slice(0, MAX_NAMED) }, keptCount };
}

async function cancelEffect(backend: McpBackend, run: RunHeader) {
  const [{ rows }, known] = await Promise.all([readSteps(backend, run.runId), backend.planOf(stateOf(run, []))]);
  const isCompensated = (known?.plan.compensateOn ?? ["cancel"]).includes("cancel");
  const stepAt = known === null ? new Map<string, never>() : indexPlan(known.plan);
  const aborts = named(rows.filter(({ status }) => status === "RUNNING"));
  const undone = ({ stepId, status }: StepRow) =>
    isCompensated && status === "SUCCESS" && stepAt.get(pathOf(stepId))?.compensate === true;
  const compensates = named(rows.filter(undone));
  const summary = `The run cannot continue afterwards, but can be retried: ${aborts.count} running steps are aborted, ${compensates.count} steps are compensated.`;
  return { summary, aborts, compensates };
}

function named(rows: readonly StepRow[]): Named {
  return { count: rows.length, steps: rows.slice(0, MAX_NAMED).map(({ stepId }) => stepId) };
}

const MAX_ASKED = 5;

/** The question that a client shows to its user. */
export function questionOf(effect: Effect): string {
  const { action, runId, workflow = "", version = "", status, stepId, summary } = effect;
  const verb = action === "CANCEL" ? "Cancel" : "Retry";
  const of = stepId === undefined ? "" : `step ${stepId} of `;
  const { steps = [] } = effect.runsAgain ?? effect.aborts ?? {};
  const names =
    steps.length === 0
      ? ""
      : ` Steps: ${steps.slice(0, MAX_ASKED).join(", ")}${steps.length > MAX_ASKED ? ", …" : ""}.`;
  return `${verb} ${of}run ${runId} (${workflow} ${version}, ${status})? ${summary}${names}`;
}
