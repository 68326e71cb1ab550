/** Tells archives from folders and prefixes with other files. */
import { InputError } from "@runledger/contracts";
import type { ArchivePlace } from "./archive-place.js";
import { ARCHIVE_FORMAT } from "./manifest.js";

const MARKER = "runledger-archive.json";

/** Returns `true` if a writer has prepared this place. */
export async function isArchive(place: ArchivePlace): Promise<boolean> {
  return (await place.read(MARKER)) !== null;
}

/** Throws OPTION_INVALID if the place is not an archive. */
export async function requireArchive(place: ArchivePlace): Promise<void> {
  if (await isArchive(place)) return;
  throw new InputError("OPTION_INVALID", "archive", `${place.name} is not an archive: it has no ${MARKER}.`);
}

/** Marks an empty place as an archive. Refuses one with other files. */
export async function prepareArchive(place: ArchivePlace): Promise<void> {
  if (await isArchive(place)) return;
  for await (const key of place.list("")) {
    if (await isArchive(place)) return; // another process has prepared it
    const message = `${place.name} is not an archive and contains ${key}. Use an empty folder or another prefix.`;
    throw new InputError("OPTION_INVALID", "archive", message);
  }
  await place.write(MARKER, Buffer.from(`${JSON.stringify({ format: ARCHIVE_FORMAT })}\n`));
}
