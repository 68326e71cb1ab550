/** Prints the URLs, the store and the first commands to try when `dev` is ready. */
import { relative } from "node:path";
import type { Project } from "../../config/load-project.js";
import { packageVersion } from "@runledger/runtime/config/package-version";
import { withoutPassword } from "@runledger/runtime/config/store-url";
import type { StartedSample } from "./sample-runs.js";
import { count } from "../render/format.js";
import { startCommand } from "../render/start-command.js";
import type { GlobalOptions } from "../global-options.js";
import { consoleLine } from "../render/console-line.js";
import { printNext, paint, print } from "../render/terminal.js";

export interface DevGreeting {
  readonly options: GlobalOptions;
  readonly storeUrl: string;
  readonly serverUrl: string;
  readonly token: string;
  readonly project: Project;
  readonly samples: readonly StartedSample[];
  readonly readyAfterMs: number;
}

export function greet({ options, storeUrl, serverUrl, token, project, samples, readyAfterMs }: DevGreeting): void {
  const { root, workflows, configFile } = project;
  print(`${paint("bold", `Runledger ${packageVersion()}`)} · ready in ${(readyAfterMs / 1000).toFixed(1)} s\n`);
  print(consoleLine(serverUrl, token));
  print(`API       ${new URL("/api/v1", serverUrl).href}   ${paint("dim", "(reference at /api/docs)")}`);
  print(`Store     ${withoutPassword(storeUrl)}`);
  print(`Worker    ${count(workflows.length, "workflow")}, reloaded when a file changes`);
  for (const { workflow, file } of workflows)
    print(`Workflow  ${workflow.id} ${workflow.version}   ${paint("dim", relative(root, file))}`);
  print(`Watching  ${relative(process.cwd(), configFile)} and the files it loads`);
  for (const { runId, workflow, shows = "" } of samples)
    print(`Sample    ${runId}  ${workflow}  ${paint("dim", shows)}`);
  print(`Try it    kill -9 ${process.pid}, start dev again, and watch the run resume where it left off`);
  print(`Stop      ${paint("dim", "Ctrl-C waits for running steps; press it twice to stop now")}`);
  printNext(startCommand(options, workflows[0]!.workflow));
}
