import type { Subscription } from "@runledger/client";
import { counted, duration } from "../ui/format.js";

/** The receiver in one line: the address of a webhook, or the type of another bus. */
export function receiverText({ bus: { type, url } }: Subscription): string {
  return type === "webhook" && typeof url === "string" ? url : type;
}

export function filterText({ filter: { workflows, eventTypes, labels } }: Subscription): string {
  const parts = [
    workflows?.join(", "),
    eventTypes?.join(", "),
    labels &&
      Object.entries(labels)
        .map(([name, value]) => `${name}=${value}`)
        .join(", "),
  ].filter((part) => part !== undefined && part !== "");
  return parts.length === 0 ? "All events" : parts.join(" · ");
}

export function backlogText({ pendingRuns, lagSeconds }: Subscription): string {
  if (pendingRuns === 0) return "None";
  return `${counted(pendingRuns, "run")}, oldest ${duration(lagSeconds * 1000)}`;
}
