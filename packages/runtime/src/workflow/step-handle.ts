import type { StepRef } from "@runledger/core";
import type { Closures } from "./compiled-workflow.js";

/** State shared by all bodies of one workflow. */
export interface Root {
  readonly workflowId: string;
  readonly closures: Map<string, Closures>;
  /** Custom step kinds. */
  readonly kinds: Set<string>;
}

/** The origin of a handle, to name a handle that is used in the wrong place. */
export class StepHandle {
  readonly id: string;
  readonly #path: string;
  readonly #root: Root;

  constructor(id: string, path: string, root: Root) {
    this.id = id;
    this.#path = path;
    this.#root = root;
  }

  /** Returns the name of `handle` in the workflow of `root`. JavaScript callers may pass anything; a non-step has no name. */
  static refOf(handle: unknown, root: Root): StepRef {
    if (!(handle instanceof StepHandle)) return String(handle);
    return handle.#root === root ? handle.#path : { workflow: handle.#root.workflowId, path: handle.#path };
  }
}
