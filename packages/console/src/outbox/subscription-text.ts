import type { Subscription } from "@runledger/client";
import { counted, duration } from "../ui/format.js";

/** The receiver in one line: the address of a webhook or of a receiver of lineage, or the type of another bus. */
export function receiverText({ bus: { type, url } }: Subscription): string {
  if (typeof url !== "string") return type;
  if (type === "openlineage") return `OpenLineage ${url}`;
  return type === "webhook" ? url : type;
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
