/** Copies runs to an archive of files before a pass archives or deletes them (A7). */
import { RetryError, type FullStateStore } from "@runledger/contracts";
import { archiveRun, archiveRunOnce } from "../archive/archive-run.js";
import { checkArchivePlace, openPlace, type ArchivePlace } from "../archive/archive-place.js";
import { prepareArchive } from "../archive/archive-marker.js";
import type { CopyFirst, PassOptions } from "./retention-pass.js";

export class FileArchive {
  readonly #name: string | undefined;
  #place: ArchivePlace | null = null;

  /** Throws OPTION_INVALID if the text is not a place. `undefined`: runs are not copied. */
  constructor(name: string | undefined) {
    if (name !== undefined) checkArchivePlace(name);
    this.#name = name;
  }

  /** Returns the options of one pass. Throws if the archive cannot be opened: without it nothing may be deleted. */
  async open(store: FullStateStore, onFault: (error: unknown) => void): Promise<Pick<PassOptions, "copyFirst">> {
    if (this.#name === undefined) return {};
    this.#place ??= await openPlace(this.#name);
    await prepareArchive(this.#place);
    return { copyFirst: copyTo(this.#place, store, onFault) };
  }
}

/** A run that cannot be copied is left, and so are all others of the pass if the archive does not answer. */
function copyTo(place: ArchivePlace, store: FullStateStore, onFault: (error: unknown) => void): CopyFirst {
  let isUnavailable = false;
  return async (runId, next) => {
    if (isUnavailable) return false;
    try {
      await (next === "delete" ? archiveRun : archiveRunOnce)(store, place, runId);
      return true;
    } catch (error) {
      isUnavailable = error instanceof RetryError;
      onFault(error);
      return false;
    }
  };
}
