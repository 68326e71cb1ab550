import type { StepRef } from "@runledger/core";
import type { Closures } from "./compiled-workflow.js";

/** What all bodies of one workflow share. */
export interface Root {
  readonly workflowId: string;
  readonly closures: Map<string, Closures>;
  /** Kinds of the user's own. */
  readonly kinds: Set<string>;
}

/** Where a handle comes from, so that one used in the wrong place can be refused by name. */
export class StepHandle {
  readonly id: string;
  readonly #path: string;
  readonly #root: Root;

  constructor(id: string, path: string, root: Root) {
    this.id = id;
    this.#path = path;
    this.#root = root;
  }

  /** What `handle` is called in the workflow of `root`. JavaScript may pass anything; what is no step has no name. */
  static refOf(handle: unknown, root: Root): StepRef {
    if (!(handle instanceof StepHandle)) return String(handle);
    return handle.#root === root ? handle.#path : { workflow: handle.#root.workflowId, path: handle.#path };
  }
}
