/** Turns a server's stream of a run into pages. Yields an empty page if no event arrives for a while. */
import type { RunledgerClient } from "@runledger/client";
import type { CanonicalEngineEvent } from "@runledger/contracts";
import { evolveAll, initialState } from "@runledger/core";
import type { EventPage } from "./backend.js";

const TICK_MS = 200;

export async function* followStream(
  client: RunledgerClient,
  runId: string,
  signal: AbortSignal,
): AsyncGenerator<EventPage> {
  const stream = new BufferedStream(client.streamRun(runId, { signal }));
  let state = initialState(runId);
  while (!signal.aborted) {
    await stream.wait(TICK_MS);
    const isFinished = stream.isFinished; // read before the events: more may arrive while the page is handled
    const events = stream.take();
    state = evolveAll(state, events);
    if (state.lastEventSeq > 0) yield { events, state };
    if (!isFinished) continue;
    if (events.length > 0) yield { events: [], state };
    return;
  }
}

/** Buffers the events of a stream until they are taken. */
class BufferedStream {
  isFinished = false;
  #events: CanonicalEngineEvent[] = [];
  #failure: Error | null = null;
  #wake: () => void = () => {};

  constructor(stream: AsyncGenerator<CanonicalEngineEvent>) {
    void this.#collect(stream);
  }

  /** Resolves when an event arrives, the stream finishes, or `ms` have passed. Throws the stream's error. */
  async wait(ms: number): Promise<void> {
    if (this.#events.length === 0 && !this.isFinished)
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
    this.isFinished = true;
    this.#wake();
  }
}
