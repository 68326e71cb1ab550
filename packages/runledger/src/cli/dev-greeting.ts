/** What `dev` says when it is ready: where to look, where things are kept, and what to try. */
import { relative } from "node:path";
import type { Project } from "../config/load-project.js";
import { packageVersion } from "../config/package-version.js";
import { withoutPassword } from "../config/store-url.js";
import type { StartedSample } from "./dev-samples.js";
import { count } from "./format.js";
import { commandLine } from "./next-command.js";
import type { GlobalOptions } from "./session.js";
import { next, paint, print } from "./terminal.js";

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
  print(`Console   ${paint("bold", `${serverUrl}/?token=${token}`)}`);
  print(`API       ${new URL("/api/v1", serverUrl).href}   ${paint("dim", "(reference at /api/docs)")}`);
  print(`Store     ${withoutPassword(storeUrl)}`);
  print(`Worker    ${count(workflows.length, "workflow")}, loaded again when a file changes`);
  for (const { workflow, file } of workflows)
    print(`Workflow  ${workflow.id} ${workflow.version}   ${paint("dim", relative(root, file))}`);
  print(`Watching  ${relative(process.cwd(), configFile)} and what it names; a change is loaded at once`);
  for (const { runId, workflow, shows = "" } of samples)
    print(`Sample    ${runId}  ${workflow}  ${paint("dim", shows)}`);
  print(`Try it    kill -9 ${process.pid}, start again, and watch what was running go on where it was`);
  print(`Stop      ${paint("dim", "Ctrl-C finishes running steps; twice hands them over")}`);
  next(commandLine(options, "run", workflows[0]!.workflow.id, "--wait"));
}
