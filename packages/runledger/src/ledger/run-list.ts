import {
  DEFAULT_TENANT,
  type FullStateStore,
  type RunFilter,
  type RunPage,
  type RunStatus,
  type RunSummary,
} from "@runledger/contracts";
import { catchUp } from "../projector/catch-up.js";

/** Which runs. What is absent does not matter; everything that is present must hold. */
export interface ListOptions {
  /** Default: the tenant that runs belong to where nobody says otherwise. */
  readonly tenantId?: string;
  /** Any of these. */
  readonly status?: RunStatus | readonly RunStatus[];
  /** The workflow's id. */
  readonly workflow?: string;
  readonly version?: string;
  readonly projectId?: string;
  readonly environmentId?: string;
  /** All of these. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Created then or later. */
  readonly since?: string | Date;
  /** Created before. */
  readonly until?: string | Date;
  /** Occurs in the failing step's id, the error's code or the beginning of its message; case does not matter. */
  readonly error?: string;
  readonly parent?: string;
  readonly schedule?: string;
}

export interface PageOptions {
  /** Of the page before. */
  readonly cursor?: string;
  /** Default 50. */
  readonly limit?: number;
}

/** Runs, newest first: to iterate over, or page by page. */
export class RunList implements AsyncIterable<RunSummary> {
  readonly #store: FullStateStore;
  readonly #filter: RunFilter;
  /** Not where a projector does it anyway. */
  readonly #catchesUp: boolean;

  constructor(store: FullStateStore, options: ListOptions, catchesUp: boolean) {
    this.#store = store;
    this.#filter = toFilter(options);
    this.#catchesUp = catchesUp;
  }

  /** A page of at most `limit`. Its cursor leads to the next one; null = there is none. */
  async page({ cursor, limit = 50 }: PageOptions = {}): Promise<RunPage> {
    if (this.#catchesUp && cursor === undefined) await catchUp(this.#store);
    const runs: RunSummary[] = [];
    let next: string | null | undefined = cursor;
    do {
      const at = next === undefined ? {} : { cursor: next };
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
