import { StopError } from "@runledger/contracts";
import type { ArchivePlace } from "./archive-place.js";

/** Names the file. Nothing of it was passed on. */
export function damaged(place: ArchivePlace, key: string, problem: string, cause?: unknown): StopError {
  const message = `${place.name}/${key} is damaged: ${problem}. Nothing was read from it. Restore the file from a backup.`;
  return new StopError("ARCHIVE_DAMAGED", message, cause === undefined ? {} : { cause });
}
