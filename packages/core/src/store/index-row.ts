import type { RunHeader, RunSummary } from "@runledger/contracts";

/** What the index keeps of a run, besides what its head and its watermark say at any time. */
export interface IndexRow {
  readonly summary: Omit<RunSummary, "tenantId" | "lastEventSeq" | "stale">;
  /** One text per label. */
  readonly labels: readonly string[];
  readonly parentRunId: string | null;
  readonly scheduleId: string | null;
  /** In lower case; null = the run has no error. */
  readonly errorText: string | null;
}

/** Of an error's message; the whole of it is in the header. */
const MESSAGE_LENGTH = 2000;

const COPIED = [
  "startedAt",
  "completedAt",
  "totalDurationMs",
  "planId",
  "planVersion",
  "logFormat",
  "projectId",
  "environmentId",
  "runRequestId",
  "priority",
  "labels",
  "parent",
  "schedule",
  "startedBy",
  "culprit",
] as const satisfies readonly (keyof RunHeader & keyof RunSummary)[];

/** Every store derives its rows here, so that the same question finds the same runs everywhere. */
export function toIndexRow(header: RunHeader): IndexRow {
  const { runId, status, createdAt = EPOCH, error, culprit, labels, parent, schedule } = header;
  const copied: Record<string, unknown> = {};
  for (const name of COPIED) if (header[name] !== undefined) copied[name] = header[name];
  const waitsFor = waitsOf(header);
  const cut = error && { ...error, message: beginning(error.message) };
  return {
    summary: { runId, status, createdAt, ...copied, ...waitsFor, ...(cut === undefined ? {} : { error: cut }) },
    labels: Object.entries(labels ?? {}).map(([name, value]) => labelKey(name, value)),
    parentRunId: textOrNull(parent?.runId),
    scheduleId: textOrNull(schedule?.scheduleId),
    errorText: cut === undefined ? null : `${culprit ?? ""} ${cut.code} ${cut.message}`.toLowerCase(),
  };
}

/** One that is paused waits for somebody to resume it. */
function waitsOf({ status, waits }: RunHeader): { readonly waitsFor?: string } {
  if (status !== "RUNNING" || waits === undefined) return {};
  return { waitsFor: beginning(Object.keys(waits).toSorted().join(", ")) };
}

/** Of a header that was stored before headers were dated. */
const EPOCH = new Date(0).toISOString();

/** A label as one text. */
export function labelKey(name: string, value: unknown): string {
  return JSON.stringify([name, value]);
}

/** Not with half a surrogate pair at its end: no database takes it. */
function beginning(message: string): string {
  return message.slice(0, MESSAGE_LENGTH).replace(/[\ud800-\udbff]$/, "");
}

/** A foreign log may hold anything here (N3). */
function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
