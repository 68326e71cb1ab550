import { checkWhole } from "./check-arguments.js";
import { needsFence } from "./lease-fence.js";
import {
  checkEvent,
  checkIdentifier,
  DEFAULT_TENANT,
  InputError,
  type AppendOptions,
  type AppendResult,
  type CheckedEvent,
  type Checkpoint,
  type JudgedAt,
  type NewEvent,
  type QueuePlace,
  type RunledgerError,
} from "@runledger/contracts";

/** The part of a call that belongs to one run. It is appended as a whole or not at all (P1). */
export interface RunAppend {
  readonly runId: string;
  readonly events: readonly CheckedEvent[];
  /** `null` accepts any head (P3). */
  readonly expectedSeq: number | null;
  /** `null` unless the events are a verdict on a signal (G1). */
  readonly judgedAt: JudgedAt | null;
  /** `null` if the caller holds no lease (P4). */
  readonly fence: number | null;
  /** `true` if an event is an engine's. A leased run accepts it only under its fence (P4). */
  readonly needsFence: boolean;
  readonly mustExist: boolean;
  /** The tenant of a run that this append creates. */
  readonly tenantId: string;
  /** `true` if runs of other tenants do not exist for the caller, `false` if it sees all tenants. */
  readonly scoped: boolean;
  readonly checkpoint: Checkpoint | null;
  /** Runs that this append makes claimable. */
  readonly wakes: readonly string[];
  /** `true` for an operator's action on the run itself. */
  readonly acts: boolean;
  /** `true` if the run leaves the queue. */
  readonly ends: boolean;
  /** Not `null` if the run enters the queue again. */
  readonly enqueues: QueuePlace | null;
}

/** The outcome of one run's part: a result per event, or the reason why nothing was written. */
export type RunOutcome = readonly AppendResult[] | RunledgerError;

/** A checked call, and the position of each event in it. */
export interface AppendCall {
  readonly runs: readonly RunAppend[];
  /** For each event of the call: the index of its run in `runs`, and its index among that run's events. */
  readonly places: readonly { readonly run: number; readonly event: number }[];
}

export interface Scope {
  /** Undefined if the caller sees all tenants. */
  readonly tenantId?: string | undefined;
}

/** Checks everything that does not need the store. Throws before anything is sent. */
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
    judgedAt: options.judgedAt ?? null,
    fence: options.fence ?? null,
    needsFence: events.some(({ event }) => needsFence(event.eventType)),
    mustExist: mustExist(options),
    tenantId: scope.tenantId ?? DEFAULT_TENANT,
    scoped: scope.tenantId !== undefined,
    checkpoint: options.checkpoint ?? null,
    wakes: options.wakes ?? [],
    acts: options.acts ?? false,
    ends: options.ends ?? false,
    enqueues: options.enqueues ?? null,
  };
}

function mustExist(options: AppendOptions): boolean {
  const { fence, judgedAt, expectedSeq = 0 } = options;
  return options.mustExist === true || fence !== undefined || judgedAt !== undefined || expectedSeq > 0;
}

function checkOptions(options: AppendOptions, groups: readonly (readonly CheckedEvent[])[]): void {
  const { expectedSeq, judgedAt, fence, checkpoint, acts, ends, enqueues } = options;
  const oneRun = [expectedSeq, judgedAt, fence, checkpoint, acts, ends, enqueues].some(
    (option) => option !== undefined,
  );
  if (oneRun && groups.length !== 1) {
    throw invalid(
      "options",
      `expectedSeq, judgedAt, fence, checkpoint, acts, ends and enqueues require events of one run; these belong to ${groups.length}. Split the call.`,
    );
  }
  if (expectedSeq !== undefined) checkWhole("options.expectedSeq", expectedSeq, 0);
  if (judgedAt !== undefined) checkJudgedAt(judgedAt);
  if (fence !== undefined) checkWhole("options.fence", fence, 1);
  if (checkpoint !== undefined) checkCheckpoint(checkpoint, groups[0]![0]!.event.runId);
}

function checkJudgedAt({ seq, stepId, notBefore }: JudgedAt): void {
  checkWhole("options.judgedAt.seq", seq, 1);
  if (stepId !== undefined) checkIdentifier("options.judgedAt.stepId", stepId);
  if (notBefore !== undefined && !isInstant(notBefore))
    throw invalid("options.judgedAt.notBefore", "must be a time in UTC, as in 2026-11-14T08:00:00.000Z.");
}

function isInstant(value: string): boolean {
  const time = Date.parse(value);
  return !Number.isNaN(time) && new Date(time).toISOString() === value;
}

const MAX_FORMAT = 2 ** 31 - 1;
const UNSTORABLE = /\u0000|\p{Surrogate}/u;

function checkCheckpoint(checkpoint: Checkpoint, runId: string): void {
  if (checkpoint.runId !== runId)
    throw invalid("options.checkpoint.runId", "is not the run of the events. Save a checkpoint of the same run.");
  checkWhole("options.checkpoint.seq", checkpoint.seq, 0);
  checkWhole("options.checkpoint.format", checkpoint.format, 1);
  if (checkpoint.format > MAX_FORMAT) throw invalid("options.checkpoint.format", `must be at most ${MAX_FORMAT}.`);
  if (typeof checkpoint.data !== "string" || UNSTORABLE.test(checkpoint.data)) {
    throw invalid("options.checkpoint.data", "must be a string without NUL characters and lone surrogates.");
  }
  if (!/^[0-9a-f]{64}$/.test(checkpoint.checksum)) {
    throw invalid("options.checkpoint.checksum", "must be the SHA-256 of data, lower-case hex.");
  }
}

function invalid(field: string, message: string): InputError {
  return new InputError("OPTION_INVALID", field, message);
}

/** `Array.isArray` that keeps the element's type. Callers without a compiler may pass any value. */
function isArray<T>(value: readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}
