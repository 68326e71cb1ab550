/** The running activities of an execution: one per attempt of a step. */
import { CancellationScope } from "@temporalio/workflow";
import type { News, Work } from "../messages.js";

interface InFlight {
  readonly scope: CancellationScope;
  isCancelled: boolean;
}

export class ActivitiesInFlight {
  readonly #running = new Map<string, InFlight>();
  #finished: News[] = [];
  #failure: { readonly error: unknown } | null = null;

  get size(): number {
    return this.#running.size;
  }

  /** `true` if there is something to take. */
  get hasFinished(): boolean {
    return this.#finished.length > 0 || this.#failure !== null;
  }

  has(work: AttemptOf): boolean {
    return this.#running.has(keyOf(work));
  }

  start(work: Work, execute: () => Promise<News>): void {
    const key = keyOf(work);
    const scope = new CancellationScope({ cancellable: true });
    this.#running.set(key, { scope, isCancelled: false });
    void scope.run(execute).then(
      (news) => {
        this.#running.delete(key);
        this.#finished.push(news);
      },
      (error: unknown) => {
        this.#running.delete(key);
        this.#failure ??= { error };
      },
    );
  }

  /** Asks the activity to stop its step. Returns `false` if there is none. */
  cancel(work: AttemptOf): boolean {
    const found = this.#running.get(keyOf(work));
    if (found === undefined) return false;
    if (!found.isCancelled) found.scope.cancel();
    found.isCancelled = true;
    return true;
  }

  /** Returns the results since the last call, in the order in which they arrived. Throws if an activity failed. */
  take(): readonly News[] {
    if (this.#failure !== null) throw this.#failure.error;
    const taken = this.#finished;
    this.#finished = [];
    return taken;
  }
}

export interface AttemptOf {
  readonly stepId: string;
  readonly attempt: number | string;
  readonly iteration?: number;
}

function keyOf({ stepId, attempt, iteration }: AttemptOf): string {
  return iteration === undefined ? `${stepId}#${attempt}` : `${stepId}/${iteration}#${attempt}`;
}
