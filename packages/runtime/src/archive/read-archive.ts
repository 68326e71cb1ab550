/** Reads runs from an archive of files in place. Every file is compared with its manifest before it is passed on. */
import { InputError, StopError, type CanonicalEngineEvent } from "@runledger/contracts";
import type { RunPart } from "../transfer/copy-target.js";
import { extend, NO_EVENTS } from "../transfer/event-line.js";
import type { ArchivePlace } from "./archive-place.js";
import { damaged } from "./damaged.js";
import { readLines } from "./line-files.js";
import { dataKey, manifestKey, readManifest, readManifests, type EventsFile, type Manifest } from "./manifest.js";

/** Yields the events of a run in order, one file after the other. Throws RUN_NOT_FOUND if the archive does not have it. */
export async function* readArchivedEvents(
  place: ArchivePlace,
  runId: string,
): AsyncGenerator<readonly CanonicalEngineEvent[]> {
  const manifest = await readManifest(place, runId);
  if (manifest === null)
    throw new InputError("RUN_NOT_FOUND", "run", `The archive ${place.name} does not have run ${runId}. Check the id.`);
  for await (const { events } of readParts(place, manifest)) yield events;
}

/** Yields a part per file. The hash chain of the run is compared at the end. */
export async function* readParts(place: ArchivePlace, manifest: Manifest): AsyncGenerator<RunPart, void> {
  const { runId, tenantId } = manifest;
  let [seq, checksum] = [0, NO_EVENTS];
  for (const file of manifest.eventFiles) {
    const lines = await readLines(place, runId, file);
    for (const line of lines) checksum = extend(checksum, line);
    const events = lines.map((line) => JSON.parse(line) as CanonicalEngineEvent);
    if (file.firstSeq !== seq + 1 || !areNumbered(events, runId, file))
      throw damaged(place, dataKey(runId, file.file), "it has other events than its manifest lists");
    yield { runId, tenantId, afterSeq: seq, events, isFinished: true };
    seq = file.lastSeq;
  }
  if (seq !== manifest.events || checksum !== manifest.checksum)
    throw damaged(place, manifestKey(runId), "it does not match the events of the run");
}

function areNumbered(
  events: readonly CanonicalEngineEvent[],
  runId: string,
  { firstSeq, lastSeq }: EventsFile,
): boolean {
  if (events.length !== lastSeq - firstSeq + 1) return false;
  return events.every((event, index) => event.runId === runId && event.runSeq === firstSeq + index);
}

export interface VerifiedArchiveRun {
  /** `null` if the manifest is damaged. */
  readonly runId: string | null;
  readonly events: number;
  /** Names the damaged file. Absent if every file of the run is intact. */
  readonly damage?: string;
}

/** Reads every file of the archive, run by run. */
export async function* verifyArchive(place: ArchivePlace): AsyncGenerator<VerifiedArchiveRun> {
  for await (const manifest of readManifests(place)) {
    if (manifest instanceof StopError) yield { runId: null, events: 0, damage: manifest.message };
    else yield await verifyRun(place, manifest);
  }
}

async function verifyRun(place: ArchivePlace, manifest: Manifest): Promise<VerifiedArchiveRun> {
  const { runId, events } = manifest;
  try {
    for await (const part of readParts(place, manifest)) void part;
    for (const file of manifest.artifactFiles) await readLines(place, runId, file);
    return { runId, events };
  } catch (error) {
    if (!(error instanceof StopError && error.code === "ARCHIVE_DAMAGED")) throw error;
    return { runId, events, damage: error.message };
  }
}
