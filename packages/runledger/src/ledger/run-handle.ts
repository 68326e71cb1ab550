import {
  StopError,
  type CanonicalEngineEvent,
  type FullStateStore,
  type Json,
  type JsonObject,
  type RunSnapshot,
} from "@runledger/contracts";
import { evolve, evolveAll, initialState, isTerminal, type Admission, type RunState } from "@runledger/core";
import { outputOf } from "../engine/outputs.js";
import { Recall } from "../engine/recall.js";
import type { RunEnd } from "../engine/run-end.js";
import { present } from "../workflow/present.js";
import { parseWith, type AnySchema } from "../workflow/schema.js";
import type { EndedRuns } from "./ended-runs.js";
import type { Patience } from "./patience.js";
import { sendAction, sendSignal, type SendOptions, type Signalling } from "./signals.js";
import { randomId } from "./start-run.js";

/** A run did not complete; names the step that failed, and why. */
export class RunFailedError extends StopError {
  constructor(readonly snapshot: RunSnapshot) {
    const { runId, status, culprit, error } = snapshot;
    const why = error === undefined ? "" : `: ${error.code} ${error.message}`;
    super("RUN_FAILED", `Run ${runId} is ${status}${culprit === undefined ? "" : ` because of ${culprit}`}${why}`);
  }
}

/** How far a run was read by who waits for its end. */
interface ReadSoFar {
  state: RunState;
  /** The last one that changed something. */
  event: CanonicalEngineEvent;
  readonly recall: Recall;
}

type Schemas = Readonly<Record<string, AnySchema>>;

interface HandlePorts {
  readonly signalling: Signalling;
  readonly endedRuns: EndedRuns;
  readonly patiently: Patience;
}

interface KnownOfRun {
  readonly schemas?: Schemas;
  readonly isNew?: boolean;
  readonly admission?: Admission;
}

/** One run, as whoever started it sees it. */
export class RunHandle<Out = unknown, Sig = Readonly<Record<string, Json>>> {
  readonly id: string;
  /** Of a run that was just started: whether it may run at once, or what it waits for. Undefined = it is not new. */
  readonly admission: Admission | undefined;
  readonly #store: FullStateStore;
  readonly #signalling: Signalling;
  readonly #endedRuns: EndedRuns;
  readonly #patiently: Patience;
  /** It was only just started: nothing is gained by looking at once. */
  readonly #isNew: boolean;

  /** Of the workflow's header; a signal that is not in it is not checked here. */
  readonly #schemas: Schemas;

  constructor(ports: HandlePorts, id: string, known: KnownOfRun = {}) {
    this.#store = ports.signalling.store;
    this.#signalling = ports.signalling;
    this.#endedRuns = ports.endedRuns;
    this.#patiently = ports.patiently;
    this.#schemas = known.schemas ?? {};
    this.#isNew = known.isNew ?? false;
    this.id = id;
    this.admission = known.admission;
  }

  /** Everything that happened, and then what happens, until the run has ended. */
  async *events(): AsyncGenerator<CanonicalEngineEvent> {
    let state = initialState(this.id);
    for (let inVain = 0; !isTerminal(state.status);) {
      const { lastEventSeq: afterSeq } = state;
      const page = await this.#patiently(() => this.#store.fetchEvents(this.id, { afterSeq }));
      yield* page;
      state = evolveAll(state, page);
      if (page.length > 0) inVain = 0;
      else await this.#endedRuns.changed(this.id, inVain++);
    }
  }

  snapshot(): Promise<RunSnapshot> {
    return this.#patiently(() => this.#store.projectSnapshot(this.id));
  }

  /** The workflow's output once it has completed. Throws RunFailedError where it has not. */
  async result(): Promise<Out> {
    const { state, event, recall } = await this.#end();
    if (state.status !== "COMPLETED") throw new RunFailedError(await this.snapshot());
    const { output, outputFrom } = event.eventData as JsonObject;
    if (typeof outputFrom !== "string") return (output ?? null) as Out;
    const source = { store: this.#store, runId: this.id, planVersion: state.details.planVersion!, recall };
    return (await this.#patiently(() => outputOf(source, state, outputFrom))) as Out;
  }

  /** Looks now and then, however much happens meanwhile. Whoever drove it to its end in this process says how it ended. */
  async #end(): Promise<RunEnd> {
    const read: ReadSoFar = { state: initialState(this.id), event: null!, recall: new Recall() };
    for (let looks = 0; ; looks++) {
      const end = looks > 0 || this.#isNew ? await this.#endedRuns.ended(this.id, looks) : null;
      if (end !== null) return end;
      await this.#patiently(() => this.#readOn(read));
      if (isTerminal(read.state.status)) return read;
    }
  }

  async #readOn(read: ReadSoFar): Promise<void> {
    for await (const event of this.#store.streamEvents(this.id, { afterSeq: read.state.lastEventSeq })) {
      if (!isTerminal(read.state.status)) read.event = event;
      read.state = evolve(read.state, event);
      read.recall.note(event);
    }
  }

  async signal<K extends keyof Sig & string>(name: K, payload: Sig[K], options?: SendOptions): Promise<void> {
    const parsed = await parseWith(this.#schemas[name], `signal ${name}`, payload);
    const once = { signalId: randomId("sig"), ...present(options ?? {}) };
    await this.#patiently(() => sendSignal(this.#signalling, this.id, name, parsed as Json, once));
  }

  act(action: string, options?: SendOptions & { readonly stepId?: string }): Promise<void> {
    const once = { signalId: randomId("sig"), ...present(options ?? {}) };
    return this.#patiently(() => sendAction(this.#signalling, this.id, action, once));
  }
}
