/** The filters of the run list, stored in the URL. */
import type { CountRunsQuery, RunListQuery, RunSummary } from "@runledger/client";
import type { TimeRange } from "./time-range.js";

export const runStatuses = ["PENDING", "APPROVED", "RUNNING", "PAUSED", "COMPLETED", "FAILED", "CANCELLED"] as const;
export type RunStatus = RunSummary["status"];

export const ranges = ["1h", "24h", "7d", "30d", "1y", "all"] as const;
export type Range = (typeof ranges)[number];

export interface RunsSearch {
  /** Comma-separated statuses. */
  readonly status?: string;
  readonly workflow?: string;
  readonly version?: string;
  readonly project?: string;
  readonly environment?: string;
  /** Text that occurs in the error. */
  readonly error?: string;
  /** Comma-separated `name:value` pairs. */
  readonly labels?: string;
  readonly parent?: string;
  readonly schedule?: string;
  readonly from?: string;
  readonly to?: string;
  /** The time range of the list, the bars and the counts. Default: 24h. */
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

/** The filters that the run counters support. */
export function countedBy({ workflow, project, environment }: RunsSearch): CountRunsQuery {
  return {
    ...(workflow !== undefined && { workflow }),
    ...(project !== undefined && { project }),
    ...(environment !== undefined && { environment }),
  };
}

type Filter = Omit<RunListQuery, "status" | "createdFrom" | "createdTo">;

/** All filters except status and time. */
export function filterOf(search: RunsSearch): Filter {
  const { version, error, labels, parent, schedule } = search;
  return {
    ...countedBy(search),
    ...(version !== undefined && { version }),
    ...(error !== undefined && { error }),
    ...(labels !== undefined && { labels: toLabels(labels) }),
    ...(parent !== undefined && { parent }),
    ...(schedule !== undefined && { schedule }),
  };
}

export function toQuery(search: RunsSearch, { from, to }: TimeRange): RunListQuery {
  const status = statusesOf(search);
  return {
    ...filterOf(search),
    ...(status.length > 0 && { status }),
    createdFrom: new Date(from).toISOString(),
    ...(to !== null && { createdTo: new Date(to).toISOString() }),
  };
}

function toLabels(text: string): Record<string, string> {
  const pairs = text.split(",").filter((pair) => pair.includes(":"));
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf(":")), pair.slice(pair.indexOf(":") + 1)]));
}

/** A change of the filters. `undefined` removes a filter. */
export type SearchChange = { readonly [K in keyof RunsSearch]?: RunsSearch[K] | undefined };
