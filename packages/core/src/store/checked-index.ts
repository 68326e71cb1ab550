/** The run index as callers see it: queries are checked, defaults filled in, and cursors opaque. */
import {
  checkIdentifier,
  InputError,
  runStatuses,
  storableInstant,
  type HistogramBar,
  type HistogramBucket,
  type RunCountFilter,
  type RunCounts,
  type RunFilter,
  type RunIndex,
  type RunStatus,
  type RunSummary,
} from "@runledger/contracts";
import { checkWhole } from "./check-arguments.js";

/** The end of a page in list order: newest first, then by id. */
export interface IndexPlace {
  readonly createdAt: string;
  readonly runId: string;
}

/** Implemented by the backend. */
export interface IndexOperations {
  /** `end` is the last run that was examined, or `null` if there are no more. */
  listRuns(params: {
    readonly filter: RunFilter;
    /** `null` starts at the newest run. */
    readonly after: IndexPlace | null;
    readonly limit: number;
  }): Promise<{ readonly runs: readonly RunSummary[]; readonly end: IndexPlace | null }>;
  countRuns(filter: RunCountFilter): Promise<RunCounts>;
  /** `from` is the start of a bucket, `to` the end of one (exclusive). */
  histogram(params: {
    readonly filter: RunCountFilter;
    readonly from: string;
    readonly to: string;
    readonly bucket: HistogramBucket;
  }): Promise<readonly HistogramBar[]>;
}

export const bucketMs: Readonly<Record<HistogramBucket, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

const MOST_BARS = 1000;
const MOST_RUNS = 1000;

export function checkedIndex(index: IndexOperations, open: () => void): RunIndex {
  return {
    listRuns: async ({ cursor, limit = 50, ...filter }) => {
      open();
      checkWhole("limit", limit, 1);
      if (limit > MOST_RUNS) throw new InputError("OPTION_INVALID", "limit", `must be at most ${MOST_RUNS}.`);
      const after = cursor === undefined ? null : parseCursor(cursor);
      const { runs, end } = await index.listRuns({ filter: checkedFilter(filter), after, limit });
      return { runs, cursor: end === null ? null : `${Date.parse(end.createdAt)}~${end.runId}` };
    },
    countRuns: async (filter) => {
      open();
      checkCountFilter(filter);
      return index.countRuns(filter);
    },
    histogram: async ({ from, to, bucket, ...filter }) => {
      open();
      checkCountFilter(filter);
      return index.histogram({ filter, bucket, ...checkedRange(from, to, bucket) });
    },
  };
}

/** Zero runs of every status. */
export function noRuns(): Record<RunStatus, number> {
  return Object.fromEntries(runStatuses.map((status) => [status, 0])) as Record<RunStatus, number>;
}

function parseCursor(cursor: string): IndexPlace {
  const [, time, runId] = /^(-?\d{1,15})~(.+)$/su.exec(cursor) ?? [];
  const createdAt = storableInstant(Number(time));
  if (createdAt === null) {
    throw new InputError("OPTION_INVALID", "cursor", "is not a cursor that a page returned. Start without one.");
  }
  checkIdentifier("cursor", runId);
  return { createdAt, runId };
}

function checkedFilter(filter: RunFilter): RunFilter {
  checkCountFilter(filter);
  const { status, createdFrom, createdTo, labels = {} } = filter;
  checkTexts(filter, ["planVersion", "errorText", "parentRunId", "scheduleId"]);
  for (const [name, value] of Object.entries(labels)) checkText(`labels.${name}`, value);
  for (const one of status ?? []) {
    if (runStatuses.includes(one)) continue;
    throw new InputError("OPTION_INVALID", "status", `must be one of ${runStatuses.join(", ")}.`);
  }
  return {
    ...filter,
    ...(createdFrom === undefined ? {} : { createdFrom: instant("createdFrom", createdFrom) }),
    ...(createdTo === undefined ? {} : { createdTo: instant("createdTo", createdTo) }),
  };
}

function checkCountFilter(filter: RunCountFilter): void {
  checkIdentifier("tenantId", filter.tenantId);
  checkTexts(filter, ["planId", "projectId", "environmentId"]);
}

function checkTexts<K extends string>(filter: { readonly [P in K]?: unknown }, names: readonly K[]): void {
  for (const name of names) {
    if (filter[name] !== undefined) checkText(name, filter[name]);
    if (filter[name] === "") throw new InputError("OPTION_INVALID", name, "is empty. Leave it out.");
  }
}

/** No stored text contains these characters, and a database may refuse to search for them. */
function checkText(field: string, value: unknown): void {
  if (typeof value !== "string" || /\u0000|\p{Surrogate}/u.test(value)) {
    throw new InputError("OPTION_INVALID", field, "must be a string without NUL characters and lone surrogates.");
  }
}

function checkedRange(from: string, to: string, bucket: HistogramBucket): { from: string; to: string } {
  const size = bucketMs[bucket];
  if (size === undefined) throw new InputError("OPTION_INVALID", "bucket", "must be minute, hour or day.");
  const first = Math.floor(Date.parse(instant("from", from)) / size);
  const end = Math.ceil(Date.parse(instant("to", to)) / size);
  if (end - first > MOST_BARS) {
    throw new InputError(
      "OPTION_INVALID",
      "bucket",
      `gives ${end - first} bars; the limit is ${MOST_BARS}. Use a larger bucket or less time.`,
    );
  }
  return { from: new Date(first * size).toISOString(), to: new Date(end * size).toISOString() };
}

function instant(field: string, value: string): string {
  const time = typeof value === "string" && /^\d{4}-/.test(value) ? Date.parse(value) : Number.NaN;
  const text = storableInstant(time);
  if (text === null) {
    throw new InputError("OPTION_INVALID", field, "must be a time such as 2026-11-14T08:00:00Z.");
  }
  return text;
}
