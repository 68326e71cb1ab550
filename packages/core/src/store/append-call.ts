import { checkWhole } from "./check-arguments.js";
import {
  checkEvent,
  DEFAULT_TENANT,
  InputError,
  isSignal,
  eventTypes,
  type AppendOptions,
  type AppendResult,
  type CheckedEvent,
  type Checkpoint,
  type NewEvent,
  type QueuePlace,
  type RunledgerError,
} from "@runledger/contracts";

/** The part of a call that belongs to one run: appended together or not at all (P1). */
export interface RunAppend {
  readonly runId: string;
  readonly events: readonly CheckedEvent[];
  /** Null = whatever the head is (P3). */
  readonly expectedSeq: number | null;
  /** Null = the caller holds no lease (P4). */
  readonly fence: number | null;
  /** True = some event is an engine's, which a leased run takes only under its fence (P4). */
  readonly needsFence: boolean;
  readonly mustExist: boolean;
  /** The tenant that a new run gets. */
  readonly tenantId: string;
  /** True = a run of another tenant is absent; false = the caller sees all tenants. */
  readonly scoped: boolean;
  readonly checkpoint: Checkpoint | null;
  /** Runs that this append makes claimable. */
  readonly wakes: readonly string[];
  /** True = an operator's action for the run itself. */
  readonly acts: boolean;
  /** True = the run leaves the queue. */
  readonly ends: boolean;
  /** Not null = the run enters the queue again. */
  readonly enqueues: QueuePlace | null;
}

/** What became of one run's part: a result per event, or why nothing of it was written. */
export type RunOutcome = readonly AppendResult[] | RunledgerError;

/** A checked call, and where in it each event stood. */
export interface AppendCall {
  readonly runs: readonly RunAppend[];
  /** For each event of the call: its run's place in `runs`, and its place among that run's events. */
  readonly places: readonly { readonly run: number; readonly event: number }[];
}

export interface Scope {
  /** Undefined = the caller sees all tenants. */
  readonly tenantId?: string | undefined;
}

/** Checks everything that can be checked without the store; throws before anything is sent. */
export function prepareCall(events: readonly NewEvent[], options: AppendOptions = {}, scope: Scope = {}): AppendCall {
  if (!isArray(events)) throw new InputError("EVENT_INVALID", "events", "must be an array of events.");
  const field = (index: number): string => (events.length === 1 ? "event" : `events[${index}]`);
  const checked = events.map((event, index) => checkEvent(event, field(index)));
  const byRun = groupByRun(checked);
  checkOptions(options, byRun.groups);
  const runs = byRun.groups.map((group) => runAppend(group, options, scope));
  return { runs, places: byRun.places };
}

function groupByRun(events: readonly CheckedEvent[]): {
  readonly groups: readonly CheckedEvent[][];
  readonly places: AppendCall["places"];
} {
  const index = new Map<string, number>();
  const groups: CheckedEvent[][] = [];
  const places = events.map((checked) => {
    const { runId } = checked.event;
    const run = index.get(runId) ?? groups.push([]) - 1;
    index.set(runId, run);
    return { run, event: groups[run]!.push(checked) - 1 };
  });
  return { groups, places };
}

function runAppend(events: readonly CheckedEvent[], options: AppendOptions, scope: Scope): RunAppend {
  return {
    runId: events[0]!.event.runId,
    events,
    expectedSeq: options.expectedSeq ?? null,
    fence: options.fence ?? null,
    needsFence: events.some(({ event }) => isEngineEvent(event.eventType)),
    mustExist: options.mustExist === true || options.fence !== undefined || (options.expectedSeq ?? 0) > 0,
    tenantId: scope.tenantId ?? DEFAULT_TENANT,
    scoped: scope.tenantId !== undefined,
    checkpoint: options.checkpoint ?? null,
    wakes: options.wakes ?? [],
    acts: options.acts ?? false,
    ends: options.ends ?? false,
    enqueues: options.enqueues ?? null,
  };
}

const engineEvents: ReadonlySet<string> = new Set(
  eventTypes.filter((type) => !isSignal(type) && type !== "RunReopened"),
);

/** P4: only signals, reopenings and unknown types reach a leased run without its fence. */
function isEngineEvent(eventType: string): boolean {
  return engineEvents.has(eventType);
}

function checkOptions(options: AppendOptions, groups: readonly (readonly CheckedEvent[])[]): void {
  const { expectedSeq, fence, checkpoint, acts, ends, enqueues } = options;
  const oneRun = [expectedSeq, fence, checkpoint, acts, ends, enqueues].some((option) => option !== undefined);
  if (oneRun && groups.length !== 1) {
    throw invalid(
      "options",
      `expectedSeq, fence, checkpoint, acts, ends and enqueues need events of one run; there are ${groups.length} runs.`,
    );
  }
  if (expectedSeq !== undefined) checkWhole("options.expectedSeq", expectedSeq, 0);
  if (fence !== undefined) checkWhole("options.fence", fence, 1);
  if (checkpoint !== undefined) checkCheckpoint(checkpoint, groups[0]![0]!.event.runId);
}

const MAX_FORMAT = 2 ** 31 - 1;
const UNSTORABLE = /\u0000|\p{Surrogate}/u;

function checkCheckpoint(checkpoint: Checkpoint, runId: string): void {
  if (checkpoint.runId !== runId) throw invalid("options.checkpoint.runId", "is not the run of the events.");
  checkWhole("options.checkpoint.seq", checkpoint.seq, 0);
  checkWhole("options.checkpoint.format", checkpoint.format, 1);
  if (checkpoint.format > MAX_FORMAT) throw invalid("options.checkpoint.format", `must be at most ${MAX_FORMAT}.`);
  if (typeof checkpoint.data !== "string" || UNSTORABLE.test(checkpoint.data)) {
    throw invalid("options.checkpoint.data", "must be text without NUL characters and half surrogate pairs.");
  }
  if (!/^[0-9a-f]{64}$/.test(checkpoint.checksum)) {
    throw invalid("options.checkpoint.checksum", "must be the SHA-256 of data, lower-case hex.");
  }
}

function invalid(field: string, message: string): InputError {
  return new InputError("OPTION_INVALID", field, message);
}

/** `Array.isArray` that keeps the element's type: callers without a compiler pass anything. */
function isArray<T>(value: readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}
