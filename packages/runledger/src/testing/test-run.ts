import type { CanonicalEngineEvent, FullStateStore, Json, RunSnapshot } from "@runledger/contracts";
import { isTerminal } from "@runledger/core";
import type { RunHandle } from "../ledger/run-handle.js";
import type { SendOptions } from "../ledger/signals.js";

/** What a run needs of the ledger it is on. */
export interface TestWorld {
  readonly store: FullStateStore;
  settle(): Promise<void>;
  /** Lets time pass until something happens; false = nothing ever will. */
  passOn(): Promise<boolean>;
  nameSignal(): { readonly signalId: string };
}

/** One run of a test. */
export class TestRun<Out = unknown, Sig = Readonly<Record<string, Json>>> {
  readonly id: string;
  readonly #handle: RunHandle<Out, Sig>;
  readonly #world: TestWorld;

  constructor(handle: RunHandle<Out, Sig>, world: TestWorld) {
    this.id = handle.id;
    this.#handle = handle;
    this.#world = world;
  }

  /** Lets time pass until the run has ended. Gives its output, or throws RunFailedError. */
  async result(): Promise<Out> {
    await this.ended();
    return this.#handle.result();
  }

  /** Lets time pass until the run has ended, however it does. */
  async ended(): Promise<RunSnapshot> {
    for (;;) {
      await this.#world.settle();
      const snapshot = await this.snapshot();
      if (isTerminal(snapshot.status)) return snapshot;
      if (!(await this.#world.passOn())) throw new Error(whyNot(snapshot));
    }
  }

  snapshot(): Promise<RunSnapshot> {
    return this.#world.store.projectSnapshot(this.id);
  }

  async events(): Promise<CanonicalEngineEvent[]> {
    const events: CanonicalEngineEvent[] = [];
    for await (const event of this.#world.store.streamEvents(this.id)) events.push(event);
    return events;
  }

  /** Kept until the run waits for it. */
  async signal<K extends keyof Sig & string>(name: K, payload: Sig[K], options?: SendOptions): Promise<void> {
    await this.#handle.signal(name, payload, { ...this.#world.nameSignal(), ...options });
    await this.#world.settle();
  }

  async act(action: string, options?: SendOptions & { readonly stepId?: string }): Promise<void> {
    await this.#handle.act(action, { ...this.#world.nameSignal(), ...options });
    await this.#world.settle();
  }
}

function whyNot({ runId, status, steps }: RunSnapshot): string {
  const open = steps.filter((step) => step.status === "RUNNING").map(({ stepId }) => stepId);
  const where = open.length === 0 ? "" : ` at ${open.join(", ")}`;
  return `Run ${runId} is ${status}${where}, and no time will change that. Send it a signal, or let it end by a timeout.`;
}
