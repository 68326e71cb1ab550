import { setTimeout as sleep } from "node:timers/promises";
import {
  StopError,
  type CanonicalEngineEvent,
  type FullStateStore,
  type Json,
  type JsonObject,
  type RunSnapshot,
} from "@runledger/contracts";
import { evolveAll, initialState, isTerminal } from "@runledger/core";
import { outputOf } from "../engine/outputs.js";
import { parseWith, type AnySchema } from "../workflow/schema.js";
import { sendAction, sendSignal, type SendOptions, type Signalling } from "./signals.js";

const POLL_MS = 50;

/** A run did not complete; names the step that failed, and why. */
export class RunFailedError extends StopError {
  constructor(readonly snapshot: RunSnapshot) {
    const { runId, status, culprit, error } = snapshot;
    const why = error === undefined ? "" : `: ${error.code} ${error.message}`;
    super("RUN_FAILED", `Run ${runId} is ${status}${culprit === undefined ? "" : ` because of ${culprit}`}${why}`);
  }
}

/** One run, as whoever started it sees it. */
export class RunHandle<Out = unknown, Sig = Readonly<Record<string, Json>>> {
  readonly id: string;
  readonly #store: FullStateStore;
  readonly #signalling: Signalling;

  /** Of the workflow's header; a signal that is not in it is not checked here. */
  readonly #schemas: Readonly<Record<string, AnySchema>>;

  constructor(signalling: Signalling, id: string, schemas: Readonly<Record<string, AnySchema>> = {}) {
    this.#store = signalling.store;
    this.#signalling = signalling;
    this.#schemas = schemas;
    this.id = id;
  }

  /** Everything that happened, and then what happens, until the run has ended. */
  async *events(): AsyncGenerator<CanonicalEngineEvent> {
    let state = initialState(this.id);
    while (!isTerminal(state.status)) {
      const page = await this.#store.fetchEvents(this.id, { afterSeq: state.lastEventSeq });
      yield* page;
      state = evolveAll(state, page);
      if (page.length === 0) await sleep(POLL_MS);
    }
  }

  snapshot(): Promise<RunSnapshot> {
    return this.#store.projectSnapshot(this.id);
  }

  /** The workflow's output once it has completed. Throws RunFailedError where it has not. */
  async result(): Promise<Out> {
    const events: CanonicalEngineEvent[] = [];
    for await (const event of this.events()) events.push(event);
    const snapshot = await this.snapshot();
    if (snapshot.status !== "COMPLETED") throw new RunFailedError(snapshot);
    const { output, outputFrom } = events.at(-1)!.eventData as JsonObject;
    if (typeof outputFrom !== "string") return (output ?? null) as Out;
    const source = { store: this.#store, runId: this.id, planVersion: snapshot.planVersion! };
    return (await outputOf(source, evolveAll(initialState(this.id), events), outputFrom)) as Out;
  }

  async signal<K extends keyof Sig & string>(name: K, payload: Sig[K], options?: SendOptions): Promise<void> {
    const parsed = await parseWith(this.#schemas[name], `signal ${name}`, payload);
    await sendSignal(this.#signalling, this.id, name, parsed as Json, options);
  }

  act(action: string, options?: SendOptions & { readonly stepId?: string }): Promise<void> {
    return sendAction(this.#signalling, this.id, action, options);
  }
}
