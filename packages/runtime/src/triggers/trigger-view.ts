/** Triggers as the API and the command line show them. */
import type { Trigger, TriggerDefinition } from "@runledger/contracts";

/** Without the parts that only consumers use. */
type Visible = Omit<Trigger, "tenantId" | "version" | "definition">;

export interface TriggerView extends Visible, TriggerDefinition {
  /** `unavailable` while its source cannot be reached. */
  readonly state: "active" | "paused" | "unavailable";
}

export function viewTrigger(trigger: Trigger): TriggerView {
  const { tenantId: _, version: __, definition, ...rest } = trigger;
  return { ...definition, ...rest, state: stateOf(trigger) };
}

function stateOf({ pausedAt, failures }: Trigger): TriggerView["state"] {
  if (pausedAt !== null) return "paused";
  return failures > 0 ? "unavailable" : "active";
}
