/** Restores the runs of an archive of files. Skips what the target has, so an interrupted import is simply repeated. */
import { InputError, StopError, type Artifacts } from "@runledger/contracts";
import type { CopiedRun, CopyOptions } from "../transfer/copy-runs.js";
import type { CopyTarget, RunPart } from "../transfer/copy-target.js";
import { writeParts } from "../transfer/file-source.js";
import { readAhead } from "../transfer/read-ahead.js";
import type { ArchivePlace } from "./archive-place.js";
import { fromLine } from "./artifact-lines.js";
import { damaged } from "./damaged.js";
import { readLines } from "./line-files.js";
import { dataKey, readManifests, type Manifest } from "./manifest.js";
import { readParts } from "./read-archive.js";

/** Runs with one file are written together, up to these limits. */
const GROUP_RUNS = 50;
const GROUP_BYTES = 8 * 1024 * 1024;

interface ImportOptions extends Pick<CopyOptions, "signal"> {
  /** Receives artifacts. Absent if the target keeps none. */
  readonly artifacts?: Artifacts;
}

/** Parts of different runs, and the runs of which they are the last parts. */
interface Group {
  readonly parts: readonly RunPart[];
  readonly finished: readonly Manifest[];
}

export async function* copyArchive(
  place: ArchivePlace,
  target: CopyTarget,
  { signal, artifacts }: ImportOptions = {},
): AsyncGenerator<CopiedRun> {
  let isEmpty = true;
  for await (const { parts, finished } of readAhead(readGroups(place))) {
    isEmpty = false;
    if (signal?.aborted === true) return;
    yield* writeParts(target, parts);
    if (artifacts !== undefined) for (const run of finished) await restoreArtifacts(place, run, artifacts);
  }
  if (isEmpty) throw new InputError("OPTION_INVALID", "from", `The archive ${place.name} has no runs.`);
}

async function* readGroups(place: ArchivePlace): AsyncGenerator<Group, void> {
  let [gathered, bytes]: [Manifest[], number] = [[], 0];
  for await (const manifest of readManifests(place)) {
    if (manifest instanceof StopError) throw manifest;
    if (manifest.eventFiles.length !== 1) {
      yield* readLong(place, manifest);
      continue;
    }
    gathered.push(manifest);
    bytes += manifest.eventFiles[0]!.textBytes;
    if (gathered.length < GROUP_RUNS && bytes < GROUP_BYTES) continue;
    yield await readTogether(place, gathered);
    [gathered, bytes] = [[], 0];
  }
  if (gathered.length > 0) yield await readTogether(place, gathered);
}

async function readTogether(place: ArchivePlace, manifests: readonly Manifest[]): Promise<Group> {
  const parts = await Promise.all(manifests.map((manifest) => partsOf(place, manifest)));
  return { parts: parts.flat(), finished: manifests };
}

async function partsOf(place: ArchivePlace, manifest: Manifest): Promise<RunPart[]> {
  const parts: RunPart[] = [];
  for await (const part of readParts(place, manifest)) parts.push(part);
  return parts;
}

/** Reads the files twice: no part of a run is written before all of it is known to be intact. */
async function* readLong(place: ArchivePlace, manifest: Manifest): AsyncGenerator<Group, void> {
  for await (const part of readParts(place, manifest)) void part;
  for await (const part of readParts(place, manifest)) {
    const isLast = part.events.at(-1)?.runSeq === manifest.events;
    yield { parts: [part], finished: isLast ? [manifest] : [] };
  }
}

async function restoreArtifacts(place: ArchivePlace, manifest: Manifest, artifacts: Artifacts): Promise<void> {
  const { runId } = manifest;
  for (const file of manifest.artifactFiles)
    for (const chunk of (await readLines(place, runId, file)).map(fromLine)) {
      if (chunk.artifact.runId !== runId) throw damaged(place, dataKey(runId, file.file), "it belongs to another run");
      await artifacts.writeChunk(chunk);
    }
}
