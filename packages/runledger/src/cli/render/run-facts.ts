/** The facts about a run that its tree does not show: ids, times, labels, output and artifacts. */
import type { ArtifactRef, RunHeader } from "@runledger/contracts";
import { bytes } from "./format.js";
import { table } from "./table.js";
import { paint } from "./terminal.js";

export function factLines(run: RunHeader): string[] {
  const { labels = {}, parent, fork, schedule, deadlineAt } = run;
  const facts: (readonly [string, string | undefined])[] = [
    ["run", run.runId],
    ["created", run.createdAt],
    ["completed", run.completedAt],
    ["deadline", deadlineAt],
    [
      "labels",
      Object.entries(labels)
        .map(([name, value]) => `${name}=${value}`)
        .join(" ") || undefined,
    ],
    ["parent", parent && `${parent.runId} ${parent.stepId}`],
    ["fork of", fork && `${fork.runId} from ${fork.from}`],
    ["schedule", schedule && `${schedule.scheduleId} ${schedule.tick}`],
  ];
  return table(facts.flatMap(([name, value]) => (value === undefined ? [] : [[paint("dim", name), value]])));
}

export function resultLines(run: RunHeader): string[] {
  const { artifacts } = run;
  const output = outputLines(run);
  return [
    ...(output.length === 0 ? [] : ["", paint("bold", "Output"), ...output]),
    ...(artifacts.length === 0 ? [] : ["", paint("bold", "Artifacts"), ...table(artifacts.map(artifactCells))]),
  ];
}

/** A large output is not printed as a part of a run. */
function outputLines({ runId, output, outputArtifact }: RunHeader): string[] {
  if (outputArtifact !== undefined) {
    const { sizeBytes } = outputArtifact;
    return [`${sizeBytes === undefined ? "large" : bytes(sizeBytes)}: print it with runledger result ${runId}`];
  }
  return output === undefined ? [] : JSON.stringify(output, null, 2).split("\n");
}

function artifactCells({ kind, sizeBytes, uri }: ArtifactRef): string[] {
  return [kind, sizeBytes === undefined ? "" : bytes(sizeBytes), uri];
}
