import type { PlanStep } from "@runledger/contracts";
import { indexPlan, pathOf, type RunState } from "@runledger/core";
import { withoutPassword } from "../config/store-url.js";
import type { KnownPlan } from "./desk/desk.js";
import { shellWord } from "./format.js";
import { samplePayload } from "./sample-payload.js";
import type { GlobalOptions } from "./session.js";

/**
 * A command of ours as one would type it here: with the store that was named, unless that tells a password. It goes through
 * npx, which finds it in a project and in a clone, where no shell would.
 */
export function commandLine(options: GlobalOptions, ...words: readonly string[]): string {
  const isShown = options.store !== undefined && withoutPassword(options.store) === options.store;
  const store = isShown ? ["--store", options.store] : [];
  const server = options.server === undefined ? [] : ["--server", options.server];
  const config = options.config === undefined ? [] : ["--config", options.config];
  return ["npx", "runledger", ...words, ...store, ...server, ...config].map(shellWord).join(" ");
}

/** What a person might do about a run that stands like this; null = nothing but wait. */
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
