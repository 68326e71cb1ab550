import { createHash } from "node:crypto";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";

interface Entry {
  readonly made: Promise<CompiledWorkflow>;
  readonly size: number;
}

/** Keeps parsed documents by the hash of their text, also those that failed. Parsing is expensive, and a text never changes. */
export class WorkflowCache {
  readonly #entries = new Map<string, Entry>();
  readonly #maxCharacters: number;
  #characters = 0;

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  get(source: string, name: string, make: () => Promise<CompiledWorkflow>): Promise<CompiledWorkflow> {
    const key = createHash("sha256").update(`${name}\n${source}`).digest("hex");
    const known = this.#entries.get(key);
    const entry = known ?? { made: make(), size: source.length };
    if (known === undefined) this.#characters += entry.size;
    this.#entries.delete(key); // the newest entry is the last
    this.#entries.set(key, entry);
    this.#evict();
    return entry.made;
  }

  #evict(): void {
    for (const [key, { size }] of this.#entries) {
      if (this.#characters <= this.#maxCharacters || this.#entries.size === 1) return;
      this.#entries.delete(key);
      this.#characters -= size;
    }
  }
}
