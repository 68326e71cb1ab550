/**
 * Removes the artifacts of deleted runs from a folder or a bucket, which no transaction of the store includes. A note is
 * written before a run is deleted, and removed after its objects: a sweep finishes what a lost process started.
 */
import { ArtifactExistsError, type DeleteOutcome, type ObjectStorage, type StoredObject } from "@runledger/contracts";
import { runOfKey, runPrefix } from "./object-keys.js";

/** The part of a run in a key has only upper-case digits after `=`. */
const NOTES = "=deleting/";
const HOUR_MS = 3_600_000;
/** A write that has not finished by then is lost. */
const ABANDONED_MS = 7 * 24 * HOUR_MS;

export class RunObjects {
  readonly #storage: ObjectStorage;
  readonly #exists: (runId: string) => Promise<boolean>;
  #searchedAt = -Infinity;

  /** `exists` returns `false` once the run is deleted. */
  constructor(storage: ObjectStorage, exists: (runId: string) => Promise<boolean>) {
    this.#storage = storage;
    this.#exists = exists;
  }

  async has(runId: string): Promise<boolean> {
    for await (const _ of this.#storage.list({ prefix: runPrefix(runId) })) return true;
    return false;
  }

  async remove(runId: string): Promise<void> {
    for await (const { key } of this.#storage.list({ prefix: runPrefix(runId) })) await this.#storage.remove(key);
  }

  async removeWith(runId: string, deleteRun: () => Promise<DeleteOutcome>): Promise<DeleteOutcome> {
    if (!(await this.has(runId))) return deleteRun();
    const note = NOTES + runPrefix(runId).slice(0, -1);
    await this.#storage.create({ key: note, content: nothing() }).catch(ifExists);
    const outcome = await deleteRun();
    if (outcome.deleted || outcome.reason === "absent") await this.remove(runId);
    await this.#storage.remove(note);
    return outcome;
  }

  /** Finishes deletions, and once an hour removes the parts of lost writes. Returns `false` because nothing is left. */
  async sweep(): Promise<false> {
    for await (const note of this.#storage.list({ prefix: NOTES })) await this.#finish(note);
    if (Date.now() - this.#searchedAt < HOUR_MS) return false;
    this.#searchedAt = Date.now(); // a search that fails, perhaps without permission, is not repeated by each pass
    await this.#storage.removeAbandoned({ olderThanMs: ABANDONED_MS });
    return false;
  }

  /** A recent note of an existing run belongs to a deletion that another process is executing. */
  async #finish({ key, createdAt }: StoredObject): Promise<void> {
    const runId = runOfKey(`${key.slice(NOTES.length)}/`);
    const isDeleted = !(await this.#exists(runId));
    if (isDeleted) await this.remove(runId);
    if (isDeleted || Date.now() - Date.parse(createdAt) > HOUR_MS) await this.#storage.remove(key);
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

function ifExists(error: unknown): void {
  if (!(error instanceof ArtifactExistsError)) throw error;
}
