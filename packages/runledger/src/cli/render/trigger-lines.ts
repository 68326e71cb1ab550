import type { SourceSettings } from "@runledger/contracts";
import type { TriggerView } from "@runledger/runtime/triggers/trigger-view";
import { count } from "./format.js";
import { paint } from "./terminal.js";

/** Formats a trigger on two or three lines: its definition, its state, and its last error. */
export function triggerLines(view: TriggerView): string[] {
  const { triggerId, source, workflow, version, filter, lastError, failures, rejected } = view;
  const target = version === undefined ? workflow : `${workflow} ${version}`;
  const selection = filter === undefined ? "" : `   ${paint("dim", filter)}`;
  const lines = [
    `${paint("bold", triggerId)}   ${sourceText(source)} → ${target}${selection}`,
    `  ${stateText(view)}   ${countsText(view)}`,
  ];
  if (lastError === null || (failures === 0 && rejected === 0)) return lines;
  return [...lines, `  ${paint("dim", `last error ${lastError.at}`)} ${lastError.message}`];
}

function stateText({ state, pausedAt }: TriggerView): string {
  if (state === "paused") return paint("yellow", `paused since ${pausedAt}`);
  return state === "unavailable" ? paint("red", "unavailable") : "active";
}

function countsText({ started, repeated, skipped, rejected, lastEventAt }: TriggerView): string {
  const bad = rejected === 0 ? "" : `, ${paint("red", `${rejected} rejected`)}`;
  const last = lastEventAt === null ? "" : paint("dim", `   last event ${lastEventAt}`);
  return `${count(started, "run")}, ${repeated} repeated, ${skipped} skipped${bad}${last}`;
}

function sourceText({ type, ...settings }: SourceSettings): string {
  const place = settings["name"] ?? settings["topic"] ?? settings["stream"];
  return typeof place === "string" ? `${type} ${place}` : type;
}
