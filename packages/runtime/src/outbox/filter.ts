/** Decides which runs and events a subscription selects. */
import { readEvent, type CanonicalEngineEvent, type SubscriptionFilter } from "@runledger/contracts";

/** Judges a run by its first event, which names its workflow and its labels. */
export function selectsRun({ workflows, labels }: SubscriptionFilter, first: CanonicalEngineEvent): boolean {
  const read = readEvent(first);
  const { plan, labels: own = {} } = read.eventType === "RunQueued" ? read.eventData : {};
  const planId = first.planId ?? plan?.planId;
  if (workflows !== undefined && (planId === undefined || !workflows.includes(planId))) return false;
  return Object.entries(labels ?? {}).every(([name, value]) => own[name] === value);
}

export function selectsEvent(
  { eventTypes }: SubscriptionFilter,
  startsAt: string | null,
  { eventType, persistedAt }: CanonicalEngineEvent,
): boolean {
  if (startsAt !== null && persistedAt !== undefined && persistedAt < startsAt) return false;
  return eventTypes === undefined || eventTypes.includes(eventType);
}
