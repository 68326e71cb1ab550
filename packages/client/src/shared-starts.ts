/**
 * Batches concurrent starts into one request, as the store batches them into one commit. Starts gather while earlier batches
 * are in flight; a single start is sent immediately and alone. Each start gets its own result. If the server refuses a whole
 * batch because of one start, all of them are sent again one by one.
 */
import type { StartedRun, StartManyOutcome, StartOutcome } from "./api-types.js";
import { ProblemError } from "./problem-error.js";
import type { Transport } from "./transport.js";

/** The size of a batch. The server accepts the same number of starts. */
const MAX_BATCH = { starts: 100, characters: 500_000 };
/** The client builds one batch while the server works on the other. */
const MAX_IN_FLIGHT = 2;
/** Statuses that say that no run of the batch was started: one start is invalid, or an older server has no batch route. */
const BATCH_REFUSED = new Set([400, 404, 405, 413]);

/** Runs after callers that just got a result had a chance to start the next run. */
const defer: (run: () => void) => void = typeof setImmediate === "function" ? setImmediate : queueMicrotask;

interface Waiting {
  /** The request as JSON. */
  readonly json: string;
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

  /** Safe to retry, because the request has an id. */
  start(request: { readonly requestId: string }): Promise<StartedRun> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ json: JSON.stringify(request), resolve, reject }) === 1) defer(() => this.#flush());
    });
  }

  #flush(): void {
    while (this.#inFlight < MAX_IN_FLIGHT && this.#waiting.length > 0) {
      this.#inFlight++;
      void this.#send(takeBatch(this.#waiting)).finally(() => {
        this.#inFlight--;
        this.#flush();
      });
    }
  }

  async #send(batch: readonly Waiting[]): Promise<void> {
    if (batch.length === 1) return batch[0]!.resolve(this.#sendAlone(batch[0]!));
    try {
      const { outcomes } = await this.#sendTogether(batch);
      batch.forEach((each, index) => this.#settle(each, outcomes[index]!));
    } catch (error) {
      const isRefused = error instanceof ProblemError && BATCH_REFUSED.has(error.status);
      for (const each of batch)
        if (isRefused) each.resolve(this.#sendAlone(each));
        else each.reject(error);
    }
  }

  /** A start that may succeed later is sent again alone, with the usual retries. */
  #settle(each: Waiting, { run, problem }: StartOutcome): void {
    if (run !== undefined) each.resolve(run);
    else if (problem?.family === "retry") each.resolve(this.#sendAlone(each));
    else each.reject(new ProblemError(problem!));
  }

  #sendTogether(batch: readonly Waiting[]): Promise<StartManyOutcome> {
    const starts = batch.map(({ json }) => json).join(",");
    return this.#transport.json({ method: "POST", path: "/runs/starts", json: `{"starts":[${starts}]}` });
  }

  #sendAlone({ json }: Waiting): Promise<StartedRun> {
    return this.#transport.json({ method: "POST", path: "/runs", json });
  }
}

function takeBatch(waiting: Waiting[]): readonly Waiting[] {
  let characters = 0;
  const overflow = waiting.findIndex(
    ({ json }, index) => (characters += json.length) > MAX_BATCH.characters && index > 0,
  );
  return waiting.splice(0, Math.min(MAX_BATCH.starts, overflow < 0 ? waiting.length : overflow));
}
