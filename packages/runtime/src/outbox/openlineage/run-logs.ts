/**
 * Facts about runs that an event does not repeat. They come from events that pass by. If these passed earlier, for example in
 * another process, one event is read from the log.
 */
import { idempotencyKey, readEvent, type CanonicalEngineEvent, type FullStateStore } from "@runledger/contracts";
import { isUnavailable } from "../../time/retry.js";
import { BusUnavailableError } from "../event-bus.js";
import { messageOf } from "../outcomes.js";

export interface RunFacts {
  /** Absent if the log does not name it. */
  readonly workflow?: string | undefined;
  readonly parentRunId?: string | undefined;
  /** The time for which a schedule started the run. */
  readonly nominalTime?: string | undefined;
}

export type LogReader = Pick<FullStateStore, "fetchEvents" | "fetchByKeys">;

/** Runs whose facts are kept in memory. */
const KEPT = 1000;

export class RunLogs {
  readonly #log: LogReader;
  readonly #facts = new Map<string, RunFacts>();
  readonly #started = new Map<string, true>();

  constructor(log: LogReader) {
    this.#log = log;
  }

  /** Remembers what the event states about its run. */
  note(event: CanonicalEngineEvent): void {
    if (event.runSeq === 1) keep(this.#facts, event.runId, factsIn(event));
    if (event.eventType === "RunStarted") keep(this.#started, event.runId, true);
  }

  async factsOf(runId: string): Promise<RunFacts> {
    const known = this.#facts.get(runId);
    if (known !== undefined) return known;
    const [first] = await read(() => this.#log.fetchEvents(runId, { limit: 1 }));
    const facts = first === undefined ? {} : factsIn(first);
    keep(this.#facts, runId, facts);
    return facts;
  }

  /** Returns `true` if the run, or this attempt of the step, was started before the event. */
  async hasStart({ runId, stepId, logicalAttemptId = "1", planVersion = "" }: CanonicalEngineEvent): Promise<boolean> {
    if (stepId === undefined && this.#started.has(runId)) return true;
    const start =
      stepId === undefined
        ? { eventType: "RunStarted", logicalAttemptId: "1" }
        : { eventType: "StepStarted", logicalAttemptId };
    const key = idempotencyKey({ runId, stepId, planVersion, ...start });
    const found = await read(() => this.#log.fetchByKeys(runId, [key]));
    if (stepId === undefined && found.length > 0) keep(this.#started, runId, true);
    return found.length > 0;
  }
}

function factsIn(event: CanonicalEngineEvent): RunFacts {
  const known = readEvent(event);
  const { plan, parent, schedule } = known.eventType === "RunQueued" ? known.eventData : {};
  return { workflow: event.planId ?? plan?.planId, parentRunId: parent?.runId, nominalTime: schedule?.tick };
}

function keep<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > KEPT) map.delete(map.keys().next().value!);
}

/** No event is blamed if the store is unavailable. */
async function read<T>(fetch: () => Promise<T>): Promise<T> {
  try {
    return await fetch();
  } catch (error) {
    throw isUnavailable(error) ? new BusUnavailableError(messageOf(error)) : error;
  }
}
