import {
  DEFAULT_TENANT,
  omitUndefined,
  type FullStateStore,
  type RunFilter,
  type RunPage,
  type RunStatus,
  type RunSummary,
} from "@runledger/contracts";
import { catchUp } from "../projector/catch-up.js";

/** Selects runs. All given conditions must hold. */
export interface ListOptions {
  /** Default: the default tenant. */
  readonly tenantId?: string;
  /** Matches any of these. */
  readonly status?: RunStatus | readonly RunStatus[];
  /** The workflow's id. */
  readonly workflow?: string;
  /** Version of the workflow. */
  readonly version?: string;
  /** Only runs of this project. */
  readonly projectId?: string;
  /** Only runs of this environment. */
  readonly environmentId?: string;
  /** Matches all of these. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Created at or after this time. */
  readonly since?: string | Date;
  /** Created before this time. */
  readonly until?: string | Date;
  /** Matches text in the failing step's id, the error's code or the start of its message, ignoring case. */
  readonly error?: string;
  /** Only children of this run. */
  readonly parent?: string;
  /** Only runs of this schedule. */
  readonly schedule?: string;
}

export interface PageOptions {
  /** The cursor of the previous page. */
  readonly cursor?: string;
  /** Default 50. */
  readonly limit?: number;
}

/** A list of runs, newest first. Iterate over it or read it page by page. */
export class RunList implements AsyncIterable<RunSummary> {
  readonly #store: FullStateStore;
  readonly #filter: RunFilter;
  /** Catches up, unless a projector runs in this process. */
  readonly #catchesUp: boolean;

  constructor(store: FullStateStore, options: ListOptions, catchesUp: boolean) {
    this.#store = store;
    this.#filter = toFilter(options);
    this.#catchesUp = catchesUp;
  }

  /** Reads a page of at most `limit` runs. Its cursor is `null` on the last page. */
  async page({ cursor, limit = 50 }: PageOptions = {}): Promise<RunPage> {
    if (this.#catchesUp && cursor === undefined) await catchUp(this.#store);
    const runs: RunSummary[] = [];
    let next: string | null | undefined = cursor;
    do {
      const at = omitUndefined({ cursor: next });
      const page: RunPage = await this.#store.index.listRuns({ ...this.#filter, ...at, limit: limit - runs.length });
      runs.push(...page.runs);
      next = page.cursor;
    } while (next !== null && runs.length < limit);
    return { runs, cursor: next };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunSummary> {
    let { runs, cursor } = await this.page();
    yield* runs;
    while (cursor !== null) {
      ({ runs, cursor } = await this.page({ cursor }));
      yield* runs;
    }
  }
}

function toFilter(options: ListOptions): RunFilter {
  const {
    tenantId = DEFAULT_TENANT,
    status,
    workflow,
    version,
    since,
    until,
    error,
    parent,
    schedule,
    ...same
  } = options;
  const filter = {
    ...same,
    tenantId,
    status: typeof status === "string" ? [status] : status,
    planId: workflow,
    planVersion: version,
    createdFrom: toText(since),
    createdTo: toText(until),
    errorText: error,
    parentRunId: parent,
    scheduleId: schedule,
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as unknown as RunFilter;
}

function toText(time: string | Date | undefined): string | undefined {
  return time instanceof Date ? time.toISOString() : time;
}
