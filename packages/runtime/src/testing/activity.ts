import { setImmediate as nextTurn } from "node:timers/promises";
import type { Closures, CompiledWorkflow } from "../workflow/compiled-workflow.js";

/** How long a step in a test may wait for real I/O, in real milliseconds. */
const PATIENCE_MS = 5000;

/**
 * Tracks the user's functions. A function may wait for real I/O (a file, a server), and the virtual clock must wait for it.
 * Or it may wait for a virtual timer, and the clock must advance. The event loop tells the two apart.
 */
export class Activity {
  #active = 0;
  #quietBefore: readonly string[] = [];

  /** Wraps the workflow's functions to track them. */
  watched(workflow: CompiledWorkflow): CompiledWorkflow {
    const closures = [...workflow.closures].map(([path, each]) => [path, this.#watchedAll(each)] as const);
    return { ...workflow, closures: new Map(closures) };
  }

  /** Resolves when no function waits for real I/O. Returns `true` if one did. */
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
