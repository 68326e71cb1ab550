/** The filters of the run list, as the address holds them. */
import type { CountRunsQuery, RunListQuery, RunSummary } from "@runledger/client";

export const runStatuses = ["PENDING", "APPROVED", "RUNNING", "PAUSED", "COMPLETED", "FAILED", "CANCELLED"] as const;
export type RunStatus = RunSummary["status"];

export const ranges = ["1h", "24h", "7d", "30d", "1y"] as const;
export type Range = (typeof ranges)[number];

export interface RunsSearch {
  /** Statuses, separated by commas. */
  readonly status?: string;
  readonly workflow?: string;
  readonly version?: string;
  readonly project?: string;
  readonly environment?: string;
  /** Text of the error. */
  readonly error?: string;
  /** `name:value`, separated by commas. */
  readonly labels?: string;
  readonly parent?: string;
  readonly schedule?: string;
  readonly from?: string;
  readonly to?: string;
  /** What the histogram spans. Default 24h. */
  readonly range?: Range;
}

const TEXTS = [
  "status",
  "workflow",
  "version",
  "project",
  "environment",
  "error",
  "labels",
  "parent",
  "schedule",
  "from",
  "to",
] as const;

export function readRunsSearch(search: Record<string, unknown>): RunsSearch {
  const texts = TEXTS.flatMap((name) => {
    const value = search[name];
    const isText = (typeof value === "string" && value !== "") || typeof value === "number";
    return isText ? [[name, String(value)] as const] : [];
  });
  const range = ranges.find((one) => one === search["range"]);
  return { ...Object.fromEntries(texts), ...(range === undefined ? {} : { range }) };
}

export function statusesOf({ status }: RunsSearch): readonly RunStatus[] {
  const names = status?.split(",") ?? [];
  return runStatuses.filter((one) => names.includes(one));
}

/** The part of a search that counters are kept for. */
export function countedBy({ workflow, project, environment }: RunsSearch): CountRunsQuery {
  return {
    ...(workflow !== undefined && { workflow }),
    ...(project !== undefined && { project }),
    ...(environment !== undefined && { environment }),
  };
}

export function toQuery(search: RunsSearch): RunListQuery {
  const { version, error, labels, parent, schedule, from, to } = search;
  const status = statusesOf(search);
  return {
    ...countedBy(search),
    ...(status.length > 0 && { status }),
    ...(version !== undefined && { version }),
    ...(error !== undefined && { error }),
    ...(labels !== undefined && { labels: toLabels(labels) }),
    ...(parent !== undefined && { parent }),
    ...(schedule !== undefined && { schedule }),
    ...(from !== undefined && { createdFrom: from }),
    ...(to !== undefined && { createdTo: to }),
  };
}

function toLabels(text: string): Record<string, string> {
  const pairs = text.split(",").filter((pair) => pair.includes(":"));
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf(":")), pair.slice(pair.indexOf(":") + 1)]));
}

/** A part of the search; undefined takes a filter away. */
export type SearchChange = { readonly [K in keyof RunsSearch]?: RunsSearch[K] | undefined };
