import {
  StopError,
  type CanonicalEngineEvent,
  type FullStateStore,
  type Json,
  type JsonObject,
  type RunSnapshot,
} from "@runledger/contracts";
import { evolve, evolveAll, initialState, isTerminal, type RunState } from "@runledger/core";
import { outputOf } from "../engine/outputs.js";
import { Recall } from "../engine/recall.js";
import { parseWith, type AnySchema } from "../workflow/schema.js";
import type { EndedRuns } from "./ended-runs.js";
import { sendAction, sendSignal, type SendOptions, type Signalling } from "./signals.js";

/** A run did not complete; names the step that failed, and why. */
export class RunFailedError extends StopError {
  constructor(readonly snapshot: RunSnapshot) {
    const { runId, status, culprit, error } = snapshot;
    const why = error === undefined ? "" : `: ${error.code} ${error.message}`;
    super("RUN_FAILED", `Run ${runId} is ${status}${culprit === undefined ? "" : ` because of ${culprit}`}${why}`);
  }
}

type Schemas = Readonly<Record<string, AnySchema>>;

interface HandlePorts {
  readonly signalling: Signalling;
  readonly endedRuns: EndedRuns;
}

/** One run, as whoever started it sees it. */
export class RunHandle<Out = unknown, Sig = Readonly<Record<string, Json>>> {
  readonly id: string;
  readonly #store: FullStateStore;
  readonly #signalling: Signalling;
  readonly #endedRuns: EndedRuns;
  /** It was only just started: nothing is gained by looking at once. */
  readonly #isNew: boolean;

  /** Of the workflow's header; a signal that is not in it is not checked here. */
  readonly #schemas: Schemas;

  constructor(ports: HandlePorts, id: string, known: { readonly schemas?: Schemas; readonly isNew?: boolean } = {}) {
    this.#store = ports.signalling.store;
    this.#signalling = ports.signalling;
    this.#endedRuns = ports.endedRuns;
    this.#schemas = known.schemas ?? {};
    this.#isNew = known.isNew ?? false;
    this.id = id;
  }

  /** Everything that happened, and then what happens, until the run has ended. */
  async *events(): AsyncGenerator<CanonicalEngineEvent> {
    let state = initialState(this.id);
    for (let inVain = 0; !isTerminal(state.status);) {
      const page = await this.#store.fetchEvents(this.id, { afterSeq: state.lastEventSeq });
      yield* page;
      state = evolveAll(state, page);
      if (page.length > 0) inVain = 0;
      else await this.#endedRuns.worthALook(this.id, inVain++);
    }
  }

  snapshot(): Promise<RunSnapshot> {
    return this.#store.projectSnapshot(this.id);
  }

  /** The workflow's output once it has completed. Throws RunFailedError where it has not. */
  async result(): Promise<Out> {
    const { state, end, recall } = await this.#end();
    if (state.status !== "COMPLETED") throw new RunFailedError(await this.snapshot());
    const { output, outputFrom } = end.eventData as JsonObject;
    if (typeof outputFrom !== "string") return (output ?? null) as Out;
    const source = { store: this.#store, runId: this.id, planVersion: state.details.planVersion!, recall };
    return (await outputOf(source, state, outputFrom)) as Out;
  }

  /** Looks now and then, however much happens meanwhile. `end` is the event that says how it ended. */
  async #end(): Promise<{ state: RunState; end: CanonicalEngineEvent; recall: Recall }> {
    const recall = new Recall();
    let state = initialState(this.id);
    let end: CanonicalEngineEvent | null = null;
    for (let looks = 0; ; looks++) {
      if (looks > 0 || this.#isNew) await this.#endedRuns.worthALook(this.id, looks);
      for await (const event of this.#store.streamEvents(this.id, { afterSeq: state.lastEventSeq })) {
        const wasOpen = !isTerminal(state.status);
        state = evolve(state, event);
        recall.note(event);
        if (wasOpen) end = event;
      }
      if (end !== null && isTerminal(state.status)) return { state, end, recall };
    }
  }

  async signal<K extends keyof Sig & string>(name: K, payload: Sig[K], options?: SendOptions): Promise<void> {
    const parsed = await parseWith(this.#schemas[name], `signal ${name}`, payload);
    await sendSignal(this.#signalling, this.id, name, parsed as Json, options);
  }

  act(action: string, options?: SendOptions & { readonly stepId?: string }): Promise<void> {
    return sendAction(this.#signalling, this.id, action, options);
  }
}
