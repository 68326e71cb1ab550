/** Lists and downloads the artifacts of a run. */
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { Command } from "commander";
import { InputError } from "@runledger/contracts";
import type { Backend } from "../backend/backend.js";
import type { ListedArtifact } from "../backend/catalog-backend.js";
import { withRun } from "../backend/find-run.js";
import type { GlobalOptions } from "../global-options.js";
import { bytes } from "../render/format.js";
import { commandLine } from "../render/next-command.js";
import { table } from "../render/table.js";
import { print, printJson, printNext } from "../render/terminal.js";

const HEAD = ["ARTIFACT", "KIND", "STEP", "SIZE", "CREATED", "EXPIRES"];

interface DownloadOptions extends GlobalOptions {
  readonly output?: string;
}

export function addArtifactsCommand(program: Command): void {
  const artifacts = program.command("artifacts").summary("list and download the artifacts of a run");
  artifacts
    .command("list <run>")
    .summary("list the artifacts and logs of a run, oldest first")
    .option("--step <id>", "only artifacts of this step")
    .action((run: string, _: unknown, command: Command) =>
      list(run, command.optsWithGlobals<GlobalOptions & { readonly step?: string }>()),
    );
  artifacts
    .command("download <run> <artifact>")
    .summary("download an artifact to a file, or to standard output")
    .description("Downloads an artifact. <artifact> is its id, or its kind if the run has one artifact of this kind.")
    .option("-o, --output <file>", "file to write; it must not exist yet (default: standard output)")
    .action((run: string, artifact: string, _: unknown, command: Command) =>
      download(run, artifact, command.optsWithGlobals<DownloadOptions>()),
    );
}

async function list(run: string, options: GlobalOptions & { readonly step?: string }): Promise<void> {
  const { found, runId } = await withRun(options, run, async (backend, id) => {
    await backend.getRun(id); // throws RUN_NOT_FOUND
    return { runId: id, found: await backend.catalog.listArtifacts(id, options.step) };
  });
  if (options.json === true) return found.forEach(printJson);
  table(found.map(cells), { shrink: [2, 1], head: HEAD }).forEach((line) => print(line));
  const [first] = found;
  if (first === undefined) print("No artifacts.");
  else printNext(commandLine(options, "artifacts", "download", runId, first.artifactId));
}

function cells({ artifactId, kind, stepId = "", sizeBytes, createdAt, ...dates }: ListedArtifact): string[] {
  const size = sizeBytes === undefined ? "open" : bytes(sizeBytes);
  return [artifactId, kind, stepId, size, timeText(createdAt), expiryText(dates)];
}

function expiryText({ expiresAt, expiredAt }: Pick<ListedArtifact, "expiresAt" | "expiredAt">): string {
  if (expiredAt !== undefined) return `expired ${timeText(expiredAt)}`;
  return expiresAt === undefined ? "with the run" : timeText(expiresAt);
}

const timeText = (at: string): string => at.slice(0, 19).replace("T", " ");

async function download(run: string, wanted: string, options: DownloadOptions): Promise<void> {
  await withRun(options, run, async (backend, runId) => {
    const { artifactId, kind } = await choose(backend, runId, wanted);
    const content = await backend.catalog.readArtifact(runId, artifactId);
    if (options.output === undefined) return pipeline(content, process.stdout, { end: false });
    await pipeline(content, createWriteStream(options.output, { flags: "wx" }));
    if (options.json === true) printJson({ runId, artifactId, kind, file: options.output });
    else print(`${kind} of ${runId} is in ${options.output}`);
  });
}

async function choose(backend: Backend, runId: string, wanted: string): Promise<ListedArtifact> {
  const all = await backend.catalog.listArtifacts(runId, undefined);
  const found = all.filter(({ artifactId, kind, uri }) => [artifactId, kind, uri].includes(wanted));
  if (found.length === 1) return found[0]!;
  const problem =
    found.length === 0
      ? `run ${runId} has no artifact ${wanted}. Run runledger artifacts list ${runId} to see all.`
      : `run ${runId} has ${found.length} artifacts of kind ${wanted}. Pass an id, such as ${found[0]!.artifactId}.`;
  throw new InputError("ARTIFACT_NOT_FOUND", "artifact", problem);
}
