/** A run's log as a server streams it, in pages; an empty one where time has passed. */
import type { RunledgerClient } from "@runledger/client";
import type { CanonicalEngineEvent } from "@runledger/contracts";
import { evolveAll, initialState } from "@runledger/core";
import type { Page } from "./desk.js";

const TICK_MS = 200;

export async function* followStream(client: RunledgerClient, runId: string, enough: AbortSignal): AsyncGenerator<Page> {
  const stream = new Collected(client.streamRun(runId, { signal: enough }));
  let state = initialState(runId);
  while (!enough.aborted) {
    await stream.more(TICK_MS);
    const isOver = stream.hasEnded; // looked at first: more may come while the rest is dealt with
    const events = stream.take();
    state = evolveAll(state, events);
    if (state.lastEventSeq > 0) yield { events, state };
    if (!isOver) continue;
    if (events.length > 0) yield { events: [], state };
    return;
  }
}

/** What has come of a stream while nobody looked. */
class Collected {
  hasEnded = false;
  #events: CanonicalEngineEvent[] = [];
  #failure: Error | null = null;
  #wake: () => void = () => {};

  constructor(stream: AsyncGenerator<CanonicalEngineEvent>) {
    void this.#collect(stream);
  }

  /** Until something has come, or it is over, or time has passed. Throws what the stream has thrown. */
  async more(ms: number): Promise<void> {
    if (this.#events.length === 0 && !this.hasEnded)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#wake = () => (clearTimeout(timer), resolve());
      });
    if (this.#failure !== null) throw this.#failure;
  }

  take(): readonly CanonicalEngineEvent[] {
    const taken = this.#events;
    this.#events = [];
    return taken;
  }

  async #collect(stream: AsyncGenerator<CanonicalEngineEvent>): Promise<void> {
    try {
      for await (const event of stream) {
        this.#events.push(event);
        this.#wake();
      }
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
    }
    this.hasEnded = true;
    this.#wake();
  }
}
