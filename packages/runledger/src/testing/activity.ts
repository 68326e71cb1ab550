import { setImmediate as nextTurn } from "node:timers/promises";
import type { Closures, CompiledWorkflow } from "../workflow/compiled-workflow.js";

/** How long a step of a test may wait for the world outside, in real milliseconds. */
const PATIENCE_MS = 5000;

/**
 * What the user's functions are doing. They may wait for the world outside (a file, a server), for which a virtual clock
 * must stand still; or for something that only time brings, for which it must not. The event loop tells them apart.
 */
export class Activity {
  #active = 0;
  #quietBefore: readonly string[] = [];

  /** The same workflow, its functions watched. */
  watched(workflow: CompiledWorkflow): CompiledWorkflow {
    const closures = [...workflow.closures].map(([path, each]) => [path, this.#watchedAll(each)] as const);
    return { ...workflow, closures: new Map(closures) };
  }

  /** Resolves when nobody waits for the world outside any more; true = somebody did. */
  async waited(): Promise<boolean> {
    const start = performance.now();
    let waited = false;
    while (this.#active > 0 && this.#waitsOutside() && performance.now() < start + PATIENCE_MS) {
      waited = true;
      await nextTurn();
    }
    return waited && performance.now() < start + PATIENCE_MS;
  }

  #waitsOutside(): boolean {
    const known = [...this.#quietBefore];
    return process.getActiveResourcesInfo().some((resource) => {
      const place = known.indexOf(resource);
      return place < 0 || known.splice(place, 1).length === 0;
    });
  }

  #watchedAll(closures: Closures): Closures {
    const watched = Object.entries(closures).map(([name, value]: [string, unknown]) => {
      return [name, typeof value === "function" ? this.#watched(value as (ctx: never) => unknown) : value];
    });
    return Object.fromEntries(watched) as Closures;
  }

  #watched(closure: (ctx: never) => unknown): (ctx: never) => Promise<unknown> {
    return async (ctx) => {
      if (this.#active++ === 0) this.#quietBefore = process.getActiveResourcesInfo();
      try {
        return await closure(ctx);
      } finally {
        this.#active--;
      }
    };
  }
}
