import type { TriggerName } from "@runledger/contracts";

/** A condition that an operator should look at. */
export interface TriggerAlert {
  readonly code: "TRIGGER_EVENT_REJECTED";
  readonly severity: "warning";
  readonly message: string;
  readonly tenantId: string;
}

/** The alert for an event that starts no run. */
export function rejectedAlert(
  { tenantId, triggerId }: TriggerName,
  {
    eventId,
    position,
    message,
  }: { readonly eventId: string | null; readonly position: string; readonly message: string },
): TriggerAlert {
  const event = eventId === null ? `the event at ${position}` : `event ${eventId}`;
  return {
    code: "TRIGGER_EVENT_REJECTED",
    severity: "warning",
    message: `trigger ${triggerId} rejected ${event}: ${message}`,
    tenantId,
  };
}
