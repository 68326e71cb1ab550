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

export function resultLines({ output, artifacts }: RunHeader): string[] {
  return [
    ...(output === undefined ? [] : ["", paint("bold", "Output"), ...JSON.stringify(output, null, 2).split("\n")]),
    ...(artifacts.length === 0 ? [] : ["", paint("bold", "Artifacts"), ...table(artifacts.map(artifactCells))]),
  ];
}

function artifactCells({ kind, sizeBytes, uri }: ArtifactRef): string[] {
  return [kind, sizeBytes === undefined ? "" : bytes(sizeBytes), uri];
}
