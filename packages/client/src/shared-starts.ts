/**
 * Starts of one moment share a request, as they share a commit in the store: they gather while earlier ones are on their
 * way, and one that comes alone goes alone, at once. Each has its own answer; what is wrong with one is no answer to the
 * others, who are asked for again without it.
 */
import type { StartedRun, StartManyOutcome, StartOutcome } from "./api-types.js";
import { ProblemError } from "./problem-error.js";
import type { Transport } from "./transport.js";

/** What one request carries without making its neighbours wait. The server takes as many. */
const MOST = { starts: 100, characters: 500_000 };
/** One is made while another is carried out. */
const MOST_IN_FLIGHT = 2;
/** One of them is not as it should be, or the server is older than this: it was not started, and neither were the others. */
const NOT_TOGETHER = new Set([400, 404, 405, 413]);

/** After those who were just answered had the chance to ask again. */
const soon: (run: () => void) => void = typeof setImmediate === "function" ? setImmediate : queueMicrotask;

interface Waiting {
  /** The request, as JSON. */
  readonly text: string;
  readonly resolve: (run: StartedRun | Promise<StartedRun>) => void;
  readonly reject: (error: unknown) => void;
}

export class SharedStarts {
  readonly #transport: Transport;
  readonly #waiting: Waiting[] = [];
  #inFlight = 0;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Safe to repeat: the request has an id. */
  start(request: { readonly requestId: string }): Promise<StartedRun> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ text: JSON.stringify(request), resolve, reject }) === 1) soon(() => this.#flush());
    });
  }

  #flush(): void {
    while (this.#inFlight < MOST_IN_FLIGHT && this.#waiting.length > 0) {
      this.#inFlight++;
      void this.#send(takeBatch(this.#waiting)).finally(() => {
        this.#inFlight--;
        this.#flush();
      });
    }
  }

  async #send(batch: readonly Waiting[]): Promise<void> {
    if (batch.length === 1) return batch[0]!.resolve(this.#alone(batch[0]!));
    try {
      const { outcomes } = await this.#together(batch);
      batch.forEach((each, place) => this.#settle(each, outcomes[place]!));
    } catch (error) {
      const isOfOne = error instanceof ProblemError && NOT_TOGETHER.has(error.status);
      for (const each of batch)
        if (isOfOne) each.resolve(this.#alone(each));
        else each.reject(error);
    }
  }

  /** What may work later is asked for with the patience that a start has alone. */
  #settle(each: Waiting, { run, problem }: StartOutcome): void {
    if (run !== undefined) each.resolve(run);
    else if (problem?.family === "retry") each.resolve(this.#alone(each));
    else each.reject(new ProblemError(problem!));
  }

  #together(batch: readonly Waiting[]): Promise<StartManyOutcome> {
    const json = `{"starts":[${batch.map(({ text }) => text).join(",")}]}`;
    return this.#transport.json({ method: "POST", path: "/runs/starts", json });
  }

  #alone({ text }: Waiting): Promise<StartedRun> {
    return this.#transport.json({ method: "POST", path: "/runs", json: text });
  }
}

function takeBatch(waiting: Waiting[]): readonly Waiting[] {
  let characters = 0;
  const tooMuch = waiting.findIndex(({ text }, place) => (characters += text.length) > MOST.characters && place > 0);
  return waiting.splice(0, Math.min(MOST.starts, tooMuch < 0 ? waiting.length : tooMuch));
}
