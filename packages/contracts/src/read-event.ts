/**
 * Reads event payloads leniently (N3), because a log may come from another version or another engine. Unknown fields are
 * ignored, a field of the wrong type counts as absent, and no payload makes a reader throw.
 */
import type { ArtifactRef } from "./artifact.js";
import type {
  ErrorCause,
  Opened,
  RunCancelledData,
  RunCompletedData,
  RunError,
  RunFailedData,
  RunQueuedData,
  RunReopenedData,
  RunStartedData,
  RunTakenOverData,
  SignalAcceptedData,
  SignalRejectedData,
  StepCompletedData,
  StepFailedData,
  StepRange,
  StepSkippedData,
  StepStartedData,
  StepsResetData,
  TraceContext,
} from "./event-data.js";
import { eventTypes, type CanonicalEngineEvent, type EventType } from "./event.js";
import type { Json, JsonObject } from "./json.js";
import { omitUndefined } from "./omit-undefined.js";
import { countSteps, isIndex, isStepRange, MAX_NAMED_STEPS } from "./step-ranges.js";

/** The payload of each event type as `readEvent` returns it. A field that a foreign log may lack is optional. */
export interface EventDataByType {
  readonly RunQueued: Omit<Partial<RunQueuedData>, "plan"> & { readonly plan?: Partial<RunQueuedData["plan"]> };
  readonly RunApproved: NoEventData;
  readonly RunStarted: RunStartedData;
  readonly RunPaused: NoEventData;
  readonly RunResumed: NoEventData;
  readonly RunCompleted: RunCompletedData;
  readonly RunFailed: RunFailedData;
  readonly RunCancelled: RunCancelledData;
  readonly RunReopened: RunReopenedData;
  readonly RunTakenOver: Partial<RunTakenOverData> & Pick<RunTakenOverData, "stepsInFlight">;
  readonly StepStarted: StepStartedData;
  readonly StepCompleted: StepCompletedData;
  readonly StepFailed: StepFailedData;
  readonly StepSkipped: Partial<StepSkippedData>;
  readonly StepsReset: StepsResetData;
  readonly SignalAccepted: Partial<SignalAcceptedData>;
  readonly SignalRejected: Partial<SignalRejectedData>;
}

export type NoEventData = Readonly<Record<string, never>>;

/** Anything that has the type and the payload of an event: an event of a store, of the API, or a new one. */
export interface EventLike {
  readonly eventType: string;
  readonly eventData: unknown;
}

/** An event whose type this version knows, with its typed payload. */
export type KnownEvent<E extends EventLike = CanonicalEngineEvent, T extends EventType = EventType> = {
  readonly [K in T]: Omit<E, "eventType" | "eventData"> & {
    readonly eventType: K;
    readonly eventData: EventDataByType[K];
  };
}[T];

/** An event of a type that this version does not know. */
export type UnknownEvent<E extends EventLike = CanonicalEngineEvent> = Omit<E, "eventType"> & {
  readonly eventType: "unknown";
  /** The type in the log. */
  readonly recordedType: string;
};

export type ReadEvent<E extends EventLike = CanonicalEngineEvent> = KnownEvent<E> | UnknownEvent<E>;

/**
 * Returns the event with a typed payload. Switch on `eventType` to narrow it.
 * @example
 * const read = readEvent(event);
 * if (read.eventType === "StepFailed") console.log(read.eventData.error.code);
 */
export function readEvent<E extends EventLike>(event: E): ReadEvent<E> {
  const { eventType } = event;
  if (!isEventType(eventType)) return { ...event, eventType: "unknown", recordedType: eventType };
  return { ...event, eventType, eventData: readEventData(eventType, event.eventData) } as unknown as KnownEvent<E>;
}

/** Reads a payload whose event type the caller has checked. */
export function readEventData<T extends EventType>(eventType: T, eventData: unknown): EventDataByType[T] {
  const fields = isJsonObject(eventData) ? eventData : NOTHING;
  const data: Record<string, unknown> = {};
  for (const [name, read] of readersOf[eventType]) {
    const value = read(fields[name]);
    if (value !== undefined) data[name] = value;
  }
  return data as EventDataByType[T];
}

/** Reads one field of a payload. The fold uses this function, because it creates no object. */
export function readEventField<T extends EventType, K extends keyof EventDataByType[T] & string>(
  eventType: T,
  name: K,
  eventData: unknown,
): EventDataByType[T][K] | undefined {
  const read = (readers[eventType] as Readers<EventDataByType[T]>)[name] as Read<unknown>;
  return read(isJsonObject(eventData) ? eventData[name] : undefined) as EventDataByType[T][K] | undefined;
}

const NOTHING: JsonObject = {};

const known: ReadonlySet<string> = new Set(eventTypes);

function isEventType(eventType: string): eventType is EventType {
  return known.has(eventType);
}

/** Returns `true` for an object that is neither `null` nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns `undefined` if the value has the wrong type. */
type Read<T> = (value: Json | undefined) => T | undefined;

const string: Read<string> = (value) => (typeof value === "string" ? value : undefined);
const number: Read<number> = (value) => (typeof value === "number" ? value : undefined);
const boolean: Read<boolean> = (value) => (typeof value === "boolean" ? value : undefined);
const json: Read<Json> = (value) => value;
/** Fits every object type. The fields inside are not checked. */
const object: Read<never> = (value) => (isJsonObject(value) ? (value as never) : undefined);
const textOrMarker: Read<string | JsonObject> = (value) => string(value) ?? object(value);
const artifacts: Read<readonly ArtifactRef[]> = (value) => (Array.isArray(value) ? value : undefined);
const namespace: Read<"action" | "signal"> = (value) => (value === "action" || value === "signal" ? value : undefined);

const plan: Read<Partial<RunQueuedData["plan"]>> = (value) =>
  isJsonObject(value)
    ? omitUndefined({
        planId: string(value["planId"]),
        planVersion: string(value["planVersion"]),
        hash: string(value["hash"]),
      })
    : undefined;

const trace: Read<TraceContext> = (value) => {
  const { traceparent, tracestate } = isJsonObject(value) ? value : NOTHING;
  if (typeof traceparent !== "string") return undefined;
  return { traceparent, ...omitUndefined({ tracestate: string(tracestate) }) };
};

function error(value: Json | undefined): RunError {
  const { code, message, retryable } = isJsonObject(value) ? value : NOTHING;
  return { code: string(code) ?? "UNKNOWN", message: string(message) ?? "", retryable: retryable === true };
}

const cause: Read<ErrorCause> = (value) => {
  if (!isJsonObject(value)) return undefined;
  const { code, message, stack } = value;
  const more = { code: string(code), stack: string(stack), cause: cause(value["cause"]) };
  return { message: string(message) ?? "", ...omitUndefined(more) };
};

/** Skips entries that are not ranges. An event that names too many steps names none, so that no reader expands it (K4). */
function ranges(value: Json | undefined): readonly StepRange[] {
  const found = Array.isArray(value) ? (value as readonly Json[]).filter(isStepRange) : [];
  return countSteps(found) <= MAX_NAMED_STEPS ? found : [];
}

/** Limits the number of items, because readers walk them. */
const opened: Read<Opened> = (value) => {
  if (!isJsonObject(value)) return undefined;
  const { count } = value;
  const isPlain = count === undefined || (isIndex(count) && count <= MAX_NAMED_STEPS);
  return isPlain ? value : { ...value, count: typeof count === "number" && count > 0 ? MAX_NAMED_STEPS : 0 };
};

type Readers<T> = { readonly [K in keyof T]-?: Read<Exclude<T[K], undefined>> };

const signal = { namespace, name: string, payload: json, stepId: string, by: string };

/** One reader per field and event type: a field without one does not compile. */
const readers: { readonly [T in EventType]: Readers<EventDataByType[T]> } = {
  RunQueued: {
    plan,
    logFormat: number,
    input: json,
    state: json,
    tenantId: string,
    projectId: string,
    environmentId: string,
    runRequestId: string,
    priority: number,
    concurrencyKey: string,
    startAt: string,
    labels: object,
    parent: object,
    schedule: object,
    trigger: object,
    fork: object,
    trace,
    by: string,
  },
  RunApproved: {},
  RunStarted: { deadlineAt: string },
  RunPaused: {},
  RunResumed: {},
  RunCompleted: { output: json, outputFrom: string, artifacts, untakenSignals: number },
  RunFailed: { error, culprit: string, untakenSignals: number },
  RunCancelled: { untakenSignals: number },
  RunReopened: { steps: ranges, deadlineAt: string, compensate: boolean },
  RunTakenOver: { epoch: number, workerId: string, stepsInFlight: ranges },
  StepStarted: { opened, waitsFor: string },
  StepCompleted: {
    output: json,
    outputArtifact: textOrMarker,
    outputFrom: string,
    signalId: string,
    again: boolean,
    artifacts,
    kept: number,
    patch: object,
    datasets: object,
    spanId: string,
  },
  StepFailed: { error, stack: string, cause, artifacts, retryAt: string, culprit: string, spanId: string },
  StepSkipped: { reason: string, culprit: string },
  StepsReset: { steps: ranges },
  SignalAccepted: signal,
  SignalRejected: { ...signal, reason: string },
};

const readersOf = Object.fromEntries(
  Object.entries(readers).map(([eventType, fields]) => [eventType, Object.entries(fields)]),
) as unknown as { readonly [T in EventType]: readonly (readonly [name: string, read: Read<unknown>])[] };
