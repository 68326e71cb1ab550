/** `npm start` on an embedded store in a folder, and what its processes do there. */
import { readdirSync, readFileSync } from "node:fs";
import { runledger } from "@runledger/test-support/hosted-commands";
import { startNpmStart, type Running } from "@runledger/test-support/runledger-command";

export function product(folder: string, ...more: readonly string[]): Running {
  return startNpmStart("--port", "0", "--store", `embedded:${folder}/data`, ...more);
}

/** Run ids by sample. */
export async function samplesOf(dev: Running): Promise<Map<string, string>> {
  await dev.says("Stop ");
  const lines = [...dev.output.matchAll(/^Sample {4}(\S+) {2}(\S+) {2}(.*)$/gm)];
  return new Map(lines.map(([, runId, , shows]) => [shows!, runId!]));
}

export async function statusOf(folder: string, runId: string): Promise<string> {
  const { stdout } = await runledger({ cwd: folder }, "runs", "--json", "--store", `embedded:${folder}/data`);
  const runs = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { runId: string; status: string });
  return runs.find((run) => run.runId === runId)?.status ?? "absent";
}

export async function until(folder: string, runId: string, wanted: string): Promise<void> {
  while ((await statusOf(folder, runId)) !== wanted);
}

/** Processes whose command line contains the folder. */
export function leftBehind(folder: string): string[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      return line.includes(folder) ? [`${pid} ${line}`] : [];
    } catch {
      return []; // the process has just exited
    }
  });
}
