import type { Command } from "commander";
import { workerGapText, type UnservedPlan } from "@runledger/contracts";
import { withoutPassword } from "../config/store-url.js";
import { count } from "./format.js";
import { commandLine } from "./next-command.js";
import { openLedger } from "./open-ledger.js";
import { project, storeUrl, type GlobalOptions } from "./session.js";
import { thenLeave, workUntilStopped } from "./stop-signals.js";
import { next, paint, print, printJson } from "./terminal.js";
import { workerVoice } from "./worker-voice.js";

export function addWorkerCommand(program: Command): void {
  program
    .command("worker")
    .summary("run the steps of this project's workflows")
    .description(
      "Runs the steps of this project's workflows until it is stopped. SIGTERM and Ctrl-C let running steps finish; " +
        "the second one hands them over to other workers at once.",
    )
    .action((_: unknown, command: Command) => thenLeave(work(command.optsWithGlobals<GlobalOptions>())));
}

async function work(options: GlobalOptions): Promise<void> {
  const found = await project(options);
  const url = storeUrl(options, found);
  const workflows = found.workflows.map(({ workflow }) => workflow);
  await using ledger = await openLedger(url);
  const worker = await ledger.worker({ ...workerVoice(), ...found.config.worker, workflows, published: true });
  const unserved = await ledger.unserved();
  if (options.json === true) {
    printJson({ workerId: worker.id, workflows: workflows.map(({ id, version }) => ({ id, version })), unserved });
    return await workUntilStopped(worker, () => {});
  }
  print(`Worker    ${worker.id}`);
  print(`Store     ${withoutPassword(url)}`);
  for (const { id, version } of workflows) print(`Workflow  ${id} ${version}`);
  for (const plan of unserved) print(`Waiting   ${waiting(plan)}`);
  print(`Stop      ${paint("dim", "Ctrl-C finishes running steps; twice hands them over")}`);
  next(commandLine(options, "run", workflows[0]!.id, "--wait"));
  await workUntilStopped(worker, print);
  print("Stopped.");
}

/** Open runs that neither this worker nor any other can go on with (D7, F5). */
function waiting(plan: UnservedPlan): string {
  const { planId, planVersion, openRuns, missing } = plan;
  const runs =
    missing === "plan" ? count(openRuns, "open run") : `${count(openRuns, "open run")} of ${planId} ${planVersion}`;
  return `${runs}: ${workerGapText(missing, plan)}`;
}
