/** Writes a run to an archive of files: events, then artifacts, then the manifest. It can be stopped and repeated (A7). */
import { RunNotFoundError, StopError, type RunHead, type StateStore } from "@runledger/contracts";
import { assertComplete, assertNext } from "@runledger/core";
import { eventLine, extend, NO_EVENTS } from "../transfer/event-line.js";
import type { ArchivePlace } from "./archive-place.js";
import { artifactLines } from "./artifact-lines.js";
import { LineBuffer, writeLines, writeVerified } from "./line-files.js";
import {
  manifestKey,
  manifestText,
  newManifest,
  readManifest,
  type ArchiveFile,
  type EventsFile,
  type Manifest,
} from "./manifest.js";

/** Writes the run unless the archive has its manifest at this head. Returns the number of events written. */
export async function archiveRunOnce(store: StateStore, place: ArchivePlace, runId: string): Promise<number> {
  const head = await headOf(store, runId);
  const known = await intactManifest(place, runId);
  if (known?.events === head.headSeq && known.tenantId === head.tenantId) return 0;
  return writeRun(store, place, head, known);
}

/** Writes what is missing or damaged, and compares every file of the run with the store. */
export async function archiveRun(store: StateStore, place: ArchivePlace, runId: string): Promise<number> {
  const head = await headOf(store, runId);
  return writeRun(store, place, head, await intactManifest(place, runId));
}

async function headOf(store: StateStore, runId: string): Promise<RunHead> {
  const [head] = await store.fetchHeads([runId]);
  if (head === undefined) throw new RunNotFoundError(runId);
  return head;
}

/** The store has the run, so a damaged manifest is written again. */
async function intactManifest(place: ArchivePlace, runId: string): Promise<Manifest | null> {
  return readManifest(place, runId).catch((error: unknown) => {
    if (error instanceof StopError && error.code === "ARCHIVE_DAMAGED") return null;
    throw error;
  });
}

async function writeRun(
  store: StateStore,
  place: ArchivePlace,
  head: RunHead,
  known: Manifest | null,
): Promise<number> {
  const { runId, tenantId, headSeq: events } = head;
  if (known !== null && (known.events > events || known.tenantId !== tenantId)) throw otherRun(place, runId);
  const { eventFiles, checksum } = await writeEvents(store, place, head, known);
  const artifactFiles: ArchiveFile[] = [];
  for await (const content of artifactLines(store.artifacts, runId)) {
    const number = artifactFiles.length + 1;
    artifactFiles.push(await writeLines(place, { runId, kind: "artifacts", number, ...content }));
  }
  const manifest = newManifest({ runId, tenantId, events, checksum, eventFiles, artifactFiles });
  await writeVerified(place, manifestKey(runId), manifestText(manifest));
  return events;
}

interface WrittenEvents {
  readonly eventFiles: readonly EventsFile[];
  readonly checksum: string;
}

/** A run that was restored may have continued. It must start with the events that the archive has. */
async function writeEvents(
  store: StateStore,
  place: ArchivePlace,
  { runId, headSeq }: RunHead,
  known: Manifest | null,
): Promise<WrittenEvents> {
  const [eventFiles, buffer]: [EventsFile[], LineBuffer] = [[], new LineBuffer()];
  let [seq, checksum] = [0, NO_EVENTS];
  const flush = async (): Promise<void> => {
    const content = buffer.take();
    const written = await writeLines(place, { runId, kind: "events", number: eventFiles.length + 1, ...content });
    eventFiles.push({ ...written, firstSeq: seq - content.lines + 1, lastSeq: seq });
  };
  for await (const event of store.streamEvents(runId, { toSeq: headSeq })) {
    assertNext(runId, seq, event.runSeq);
    const line = eventLine(event);
    [seq, checksum] = [event.runSeq, extend(checksum, line)];
    if (seq === known?.events && checksum !== known.checksum) throw otherRun(place, runId);
    buffer.add(line);
    if (buffer.isFull) await flush();
  }
  assertComplete(runId, seq, headSeq);
  if (buffer.lines > 0) await flush();
  return { eventFiles, checksum };
}

function otherRun(place: ArchivePlace, runId: string): StopError {
  const message = `The archive ${place.name} has other events of run ${runId} than this store. It belongs to another ledger or to a later time; choose another archive.`;
  return new StopError("COPY_MISMATCH", message);
}
