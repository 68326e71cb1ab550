import type { CanonicalEngineEvent, Json, JsonObject } from "@runledger/contracts";
import { short as shortened } from "./format.js";
import { paint, type Style } from "./terminal.js";

/** Formats an event as one line: position, time, type, step and the most useful field of its data. */
export function eventLine(event: CanonicalEngineEvent): string {
  const { runSeq, eventType, stepId = "", logicalAttemptId = "1", persistedAt, emittedAt } = event;
  const time = (persistedAt ?? emittedAt).slice(11, 23);
  const attempt = stepId !== "" && logicalAttemptId !== "1" ? ` #${logicalAttemptId}` : "";
  const parts = [String(runSeq).padStart(4), paint("dim", time), paintType(eventType), stepId + attempt, detail(event)];
  return parts
    .filter((part) => part !== "")
    .join("  ")
    .trimEnd();
}

function paintType(eventType: string): string {
  const style: Style | null = /Failed|Rejected/.test(eventType)
    ? "red"
    : eventType.endsWith("Completed")
      ? "green"
      : /TakenOver|Paused|Cancelled|Skipped/.test(eventType)
        ? "yellow"
        : null;
  const padded = eventType.padEnd(14);
  return style === null ? padded : paint(style, padded);
}

function detail({ eventType, eventData }: CanonicalEngineEvent): string {
  const data = (eventData ?? {}) as JsonObject;
  const { error, output, name, payload, workerId, culprit, reason, by, untakenSignals } = data;
  if (isObject(data["fork"])) return `fork of ${text(data["fork"]["runId"])} from ${text(data["fork"]["from"])}`;
  if (data["kept"] !== undefined) return "kept";
  if (isObject(error)) return short(`${text(error["code"])} ${text(error["message"])}`);
  if (eventType.startsWith("Signal")) return short(`${text(name)} ${text(payload)}`);
  if (eventType === "RunQueued") return typeof by === "string" ? `by ${by}` : "";
  if (typeof workerId === "string") return `by ${workerId}`;
  if (typeof culprit === "string") return `because of ${culprit}`;
  if (typeof reason === "string") return reason;
  if (output !== undefined && output !== null) return short(JSON.stringify(output));
  if (typeof data["outputArtifact"] === "string") return `output in ${data["outputArtifact"]}`;
  return typeof untakenSignals === "number" ? `${untakenSignals} untaken signals` : "";
}

/** A pipe gets whole payloads. */
function short(line: string): string {
  return process.stdout.isTTY ? shortened(line) : shortened(line, Infinity);
}

function text(value: Json | undefined): string {
  if (typeof value === "string") return value;
  return value === undefined ? "" : JSON.stringify(value);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
