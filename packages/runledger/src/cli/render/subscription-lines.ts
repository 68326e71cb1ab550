import type { BusSettings, SubscriptionFilter } from "@runledger/contracts";
import type { SubscriptionView } from "@runledger/runtime/outbox/subscription-view";
import { count, duration } from "./format.js";
import { paint } from "./terminal.js";

/** Formats a subscription on two or three lines: its definition, its state, and its last error. */
export function subscriptionLines(view: SubscriptionView): string[] {
  const { subscriptionId, bus, filter, lastError, failures, deadLetters } = view;
  const lines = [
    `${paint("bold", subscriptionId)}   ${busText(bus)}   ${filterText(filter)}`,
    `  ${stateText(view)}   ${backlogText(view)}`,
  ];
  if (lastError === null || (failures === 0 && deadLetters === 0 && view.pendingRuns === 0)) return lines;
  return [...lines, `  ${paint("dim", `last error ${lastError.at}`)} ${lastError.message}`];
}

function stateText({ state, pausedAt, retryAt, isFilling }: SubscriptionView): string {
  if (state === "paused") return paint("yellow", `paused since ${pausedAt}`);
  if (state === "unavailable") return paint("red", `unavailable, next attempt ${retryAt}`);
  return isFilling ? "listing earlier runs" : "active";
}

function backlogText({ pendingRuns, lagSeconds, deadLetters, lastDeliveredAt }: SubscriptionView): string {
  const waiting = pendingRuns === 0 ? "no backlog" : `${count(pendingRuns, "run")} behind`;
  const lag = pendingRuns === 0 ? "" : `, oldest ${duration(lagSeconds * 1000)}`;
  const dead = deadLetters === 0 ? "" : `   ${paint("red", count(deadLetters, "dead letter"))}`;
  const last = lastDeliveredAt === null ? "" : paint("dim", `   last delivery ${lastDeliveredAt}`);
  return `${waiting}${lag}${dead}${last}`;
}

function busText({ type, ...settings }: BusSettings): string {
  const hasUrl = type === "webhook" || type === "openlineage";
  if (hasUrl && typeof settings["url"] === "string") return `${type} ${settings["url"]}`;
  return Object.keys(settings).length === 0 ? type : `${type} ${JSON.stringify(settings)}`;
}

function filterText({ workflows, eventTypes, labels }: SubscriptionFilter): string {
  const parts = [
    workflows?.join(", "),
    eventTypes?.join(", "),
    labels &&
      Object.entries(labels)
        .map(([name, value]) => `${name}=${value}`)
        .join(", "),
  ].filter((part) => part !== undefined && part !== "");
  return parts.length === 0 ? "all events" : parts.join(" · ");
}
