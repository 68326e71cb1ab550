import {
  newId,
  omitUndefined,
  readEventData,
  StopError,
  type CanonicalEngineEvent,
  type FullStateStore,
  type Json,
  type RunSnapshot,
} from "@runledger/contracts";
import {
  evolve,
  evolveAll,
  initialState,
  isTerminal,
  type Action,
  type Admission,
  type RunState,
} from "@runledger/core";
import { outputOf } from "../runs/outputs.js";
import { RecentEvents } from "../runs/recent-events.js";
import type { RunEnd } from "../runs/run-end.js";
import { parseWith, type AnySchema } from "../workflow/schema.js";
import type { RunWaiters } from "../runs/run-waiters.js";
import type { Retry } from "../time/retry.js";
import { sendAction, sendSignal, type SendOptions, type Signalling } from "../runs/signals.js";

/** The run did not complete. Names the step that failed, and why. */
export class RunFailedError extends StopError {
  constructor(readonly snapshot: RunSnapshot) {
    const { runId, status, culprit, error } = snapshot;
    const why = error === undefined ? "" : `: ${error.code} ${error.message}`;
    super("RUN_FAILED", `Run ${runId} is ${status}${culprit === undefined ? "" : ` because of ${culprit}`}${why}`);
  }
}

/** The part of a log that a waiter has read. */
interface ReadSoFar {
  state: RunState;
  /** The last event before or at the end of the run. */
  event: CanonicalEngineEvent;
  readonly recentEvents: RecentEvents;
}

type Schemas = Readonly<Record<string, AnySchema>>;

interface HandlePorts {
  readonly signalling: Signalling;
  readonly runWaiters: RunWaiters;
  readonly retry: Retry;
}

interface KnownOfRun {
  readonly schemas?: Schemas;
  readonly isNew?: boolean;
  readonly admission?: Admission;
}

/** One run: its result, its events, and the actions on it. */
export class RunHandle<Out = unknown, Sig = Readonly<Record<string, Json>>> {
  /** The id of the run. */
  readonly id: string;
  /** Whether a new run may start now, or what it waits for. `undefined` if the run is not new. */
  readonly admission: Admission | undefined;
  readonly #store: FullStateStore;
  readonly #signalling: Signalling;
  readonly #runWaiters: RunWaiters;
  readonly #retry: Retry;
  /** `true` if the run was just started. Then it is useless to read its log immediately. */
  readonly #isNew: boolean;
  /** Schemas of the workflow's header. A signal without one is not checked. */
  readonly #schemas: Schemas;

  constructor(ports: HandlePorts, id: string, known: KnownOfRun = {}) {
    this.#store = ports.signalling.store;
    this.#signalling = ports.signalling;
    this.#runWaiters = ports.runWaiters;
    this.#retry = ports.retry;
    this.#schemas = known.schemas ?? {};
    this.#isNew = known.isNew ?? false;
    this.id = id;
    this.admission = known.admission;
  }

  /** Yields all recorded events, then new ones, until the run is finished. */
  async *events(): AsyncGenerator<CanonicalEngineEvent> {
    let state = initialState(this.id);
    for (let polls = 0; !isTerminal(state.status);) {
      const { lastEventSeq: afterSeq } = state;
      const page = await this.#retry(() => this.#store.fetchEvents(this.id, { afterSeq }));
      yield* page;
      state = evolveAll(state, page);
      if (page.length > 0) polls = 0;
      else await this.#runWaiters.waitForChange(this.id, polls++);
    }
  }

  /** Returns the run's current status, and that of its steps. */
  snapshot(): Promise<RunSnapshot> {
    return this.#retry(() => this.#store.projectSnapshot(this.id));
  }

  /** Waits for the end of the run and returns the workflow's output. Throws `RunFailedError` if it did not complete. */
  async result(): Promise<Out> {
    const { state, event, recentEvents } = await this.#end();
    if (state.status !== "COMPLETED") throw new RunFailedError(await this.snapshot());
    const { output, outputFrom } = readEventData("RunCompleted", event.eventData);
    if (outputFrom === undefined) return (output ?? null) as Out;
    const source = { store: this.#store, runId: this.id, planVersion: state.details.planVersion!, recentEvents };
    return (await this.#retry(() => outputOf(source, state, outputFrom))) as Out;
  }

  /** Polls for the end. A worker of this process reports it immediately. */
  async #end(): Promise<RunEnd> {
    const read: ReadSoFar = { state: initialState(this.id), event: null!, recentEvents: new RecentEvents() };
    for (let polls = 0; ; polls++) {
      const end = polls > 0 || this.#isNew ? await this.#runWaiters.waitForEnd(this.id, polls) : null;
      if (end !== null) return end;
      await this.#retry(() => this.#readOn(read));
      if (isTerminal(read.state.status)) return read;
    }
  }

  async #readOn(read: ReadSoFar): Promise<void> {
    for await (const event of this.#store.streamEvents(this.id, { afterSeq: read.state.lastEventSeq })) {
      if (!isTerminal(read.state.status)) read.event = event;
      read.state = evolve(read.state, event);
      read.recentEvents.add(event);
    }
  }

  /** Sends a signal to the run. Throws `SignalRejectedError` if the run is finished. */
  async signal<K extends keyof Sig & string>(name: K, payload: Sig[K], options?: SendOptions): Promise<void> {
    const parsed = await parseWith(this.#schemas[name], `signal ${name}`, payload);
    const once = { signalId: newId("sig"), ...omitUndefined(options ?? {}) };
    await this.#retry(() => sendSignal(this.#signalling, this.id, name, parsed as Json, once));
  }

  /** Cancels the run: running steps are aborted, completed ones are compensated. */
  cancel(options?: SendOptions): Promise<void> {
    return this.act("CANCEL", options);
  }

  /** Pauses the run: running steps finish, no new step starts. */
  pause(options?: SendOptions): Promise<void> {
    return this.act("PAUSE", options);
  }

  /** Resumes a paused run. */
  resume(options?: SendOptions): Promise<void> {
    return this.act("RESUME", options);
  }

  /** Approves a run whose workflow has `approval: true`. */
  approve(options?: SendOptions): Promise<void> {
    return this.act("APPROVE", options);
  }

  /** Retries all failed steps, or with `step` that step, and the steps that depend on them. */
  retry({ step, ...options }: SendOptions & { readonly step?: string } = {}): Promise<void> {
    return step === undefined ? this.act("RETRY_RUN", options) : this.act("RETRY_STEP", { ...options, stepId: step });
  }

  /** Compensates the completed steps of a failed run, last one first. The run then fails with the same error. */
  compensate(options?: SendOptions): Promise<void> {
    return this.act("COMPENSATE", options);
  }

  /** Skips a step. Its dependents run without its output. */
  skip(step: string, options?: SendOptions): Promise<void> {
    return this.act("SKIP_STEP", { ...options, stepId: step });
  }

  /** Sends an operator's action. Throws `SignalRejectedError` if the run's status does not allow it. */
  act(action: Action, options?: SendOptions & { readonly stepId?: string }): Promise<void> {
    const once = { signalId: newId("sig"), ...omitUndefined(options ?? {}) };
    return this.#retry(() => sendAction(this.#signalling, this.id, action, once));
  }
}
