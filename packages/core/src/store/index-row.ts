import { omitUndefined, type RunHeader, type RunSummary } from "@runledger/contracts";

/** The fields that the index stores of a run, besides those that come from its head and its watermark. */
export interface IndexRow {
  readonly summary: Omit<RunSummary, "tenantId" | "lastEventSeq" | "stale">;
  /** One string per label. */
  readonly labels: readonly string[];
  readonly parentRunId: string | null;
  readonly scheduleId: string | null;
  /** In lower case. `null` if the run has no error. */
  readonly errorText: string | null;
}

/** Maximum length of an error's message in the index. The header has all of it. */
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

/** Every store derives its rows here, so that the same query finds the same runs in every store. */
export function toIndexRow(header: RunHeader): IndexRow {
  const { runId, status, createdAt = EPOCH, error, culprit, labels, parent, schedule } = header;
  const copied: Record<string, unknown> = {};
  for (const name of COPIED) if (header[name] !== undefined) copied[name] = header[name];
  const waitsFor = waitsOf(header);
  const cut = error && { ...error, message: beginning(error.message) };
  return {
    summary: { runId, status, createdAt, ...copied, ...waitsFor, ...omitUndefined({ error: cut }) },
    labels: Object.entries(labels ?? {}).map(([name, value]) => labelKey(name, value)),
    parentRunId: textOrNull(parent?.runId),
    scheduleId: textOrNull(schedule?.scheduleId),
    errorText: cut === undefined ? null : `${culprit ?? ""} ${cut.code} ${cut.message}`.toLowerCase(),
  };
}

/** A paused run waits for an operator, so its steps' waits are not shown. */
function waitsOf({ status, waits }: RunHeader): { readonly waitsFor?: string } {
  if (status !== "RUNNING" || waits === undefined) return {};
  return { waitsFor: beginning(Object.keys(waits).toSorted().join(", ")) };
}

/** Used for a header that was stored before headers had a creation time. */
const EPOCH = new Date(0).toISOString();

/** Renders a label as one string. */
export function labelKey(name: string, value: unknown): string {
  return JSON.stringify([name, value]);
}

/** Does not end in a lone surrogate, which databases refuse. */
function beginning(message: string): string {
  return message.slice(0, MESSAGE_LENGTH).replace(/[\ud800-\udbff]$/, "");
}

/** A foreign log may hold any value here (N3). */
function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
