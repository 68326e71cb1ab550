/**
 * Bounds the state of a run in this process. Every worker, projector and reader holds the whole state, so it must not grow
 * without end (P9). A patch is counted when its step finishes: the log may hold it only later.
 */
import { isJsonObject, type Json } from "@runledger/contracts";
import { MAX_STATE_BYTES, mergePatch } from "@runledger/core/store";
import { bytesOf, kilobytes } from "./output-too-large.js";

export class StateSize {
  /** `null` before the state is known. */
  #state: { readonly value: Json | undefined } | null = null;
  /** At least the size of the state. Patches that replace something are counted in full until the next count. */
  #bytes = 0;

  /** Takes the state of the log. Later calls have no effect: only the owner of a run patches its state. */
  start(value: Json | undefined): void {
    if (this.#state !== null) return;
    this.#state = { value };
    this.#bytes = bytesOf(value);
  }

  /** Adds the patch of a step, if it has one. Returns the reason if the state would be too large: it is then not added. */
  add(patch: Json | undefined): string | null {
    if (!isJsonObject(patch)) return null;
    const value = mergePatch(this.#state?.value, patch);
    const most = this.#bytes + bytesOf(patch);
    const bytes = most <= MAX_STATE_BYTES ? most : bytesOf(value);
    if (bytes > MAX_STATE_BYTES) {
      const limit = `the limit is ${kilobytes(MAX_STATE_BYTES)}`;
      return `The state of the run would have ${kilobytes(bytes)}, ${limit}. Keep large values in an artifact.`;
    }
    this.#state = { value };
    this.#bytes = bytes;
    return null;
  }
}
