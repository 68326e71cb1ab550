import type { PlanStep } from "@runledger/contracts";
import { indexPlan, pathOf, type RunState } from "@runledger/core";
import { withoutPassword } from "@runledger/runtime/config/store-url";
import type { KnownPlan } from "../backend/backend.js";
import { shellWord } from "./format.js";
import { samplePayload } from "../backend/sample-payload.js";
import type { GlobalOptions } from "../global-options.js";

/**
 * Formats a `runledger` command with the global options of the current one, but never with a password in a store URL. It starts
 * with `npx`, which finds the command inside a project.
 */
export function commandLine(options: GlobalOptions, ...words: readonly string[]): string {
  const isShown = options.store !== undefined && withoutPassword(options.store) === options.store;
  const store = isShown ? ["--store", options.store] : [];
  const server = options.server === undefined ? [] : ["--server", options.server];
  const config = options.config === undefined ? [] : ["--config", options.config];
  return ["npx", "runledger", ...words, ...store, ...server, ...config].map(shellWord).join(" ");
}

/** Suggests the next command for a run in this state; `null` if there is nothing to do but wait. */
export function nextFor(options: GlobalOptions, state: RunState, known: KnownPlan | null): string | null {
  const { runId, status } = state;
  switch (status) {
    case "PENDING":
      return known?.plan.approval === true ? commandLine(options, "approve", runId) : null;
    case "PAUSED":
      return commandLine(options, "resume", runId);
    case "FAILED":
    case "CANCELLED":
      return commandLine(options, "retry", runId);
    case "COMPLETED":
      return commandLine(options, "events", runId);
    default:
      return known === null ? null : signalFor(options, state, known);
  }
}

function signalFor(options: GlobalOptions, state: RunState, { plan, signalSchema }: KnownPlan) {
  const steps = indexPlan(plan);
  for (const { stepId, status } of state.steps.rows()) {
    const step = status === "RUNNING" ? steps.get(pathOf(stepId)) : undefined;
    const name = signalOf(step);
    if (name === null) continue;
    const payload = samplePayload(signalSchema(name, pathOf(stepId)));
    return commandLine(options, "signal", state.runId, name, JSON.stringify(payload));
  }
  return null;
}

function signalOf(step: PlanStep | undefined): string | null {
  return step?.kind === "wait" ? (step.signal ?? null) : null;
}
