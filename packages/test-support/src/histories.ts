/** The recorded histories, as the tests read them. */
import { historyFiles } from "../../../scripts/lib/histories.mjs";
import { inRepository, readJson } from "../../../scripts/lib/repository.mjs";
import type { CanonicalEngineEvent, Plan } from "@runledger/contracts";
import type { Command } from "@runledger/core";

export interface History {
  readonly name: string;
  readonly plan: Plan;
  readonly events: readonly CanonicalEngineEvent[];
  readonly decisions: readonly (readonly Command[])[];
  /** SHA-256 of the folded state. */
  readonly state: string;
}

export const histories: readonly History[] = historyFiles.map((path) => readJson(inRepository(path)) as History);

/** The same history with one planted difference, which a replay must detect. */
export const planted: Readonly<Record<string, (history: History) => History>> = {
  "a decision that was not made": (history) => ({
    ...history,
    decisions: [[{ type: "cancelChild", childRunId: "run-0" }], ...history.decisions.slice(1)],
  }),
  "another end": (history) => ({ ...history, state: "0".repeat(64) }),
  "an event that did not happen": (history) => ({ ...history, events: history.events.toSpliced(2, 1) }),
  "another plan": (history) => ({ ...history, plan: { ...history.plan, approval: !history.plan.approval } }),
};
