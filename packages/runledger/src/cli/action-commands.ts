import type { Command } from "commander";
import type { Action } from "@runledger/core";
import { withDesk } from "./desk/open-desk.js";
import { confirm, senderOf, withSender, type SenderOptions } from "./signal-command.js";

const PLAIN = [
  ["approve", "APPROVE", "let a run start that waits for approval"],
  ["pause", "PAUSE", "start no further steps of a run; what runs goes on"],
  ["resume", "RESUME", "go on with a paused run"],
  ["cancel", "CANCEL", "stop a run: abort what runs, undo what can be undone"],
] as const satisfies readonly (readonly [string, Action, string])[];

/** What an operator may do to a run. Each is recorded, with who did it. */
export function addActionCommands(program: Command): void {
  for (const [name, action, summary] of PLAIN)
    withSender(program.command(`${name} <run>`))
      .summary(summary)
      .action((runId: string, _: unknown, command: Command) => act(command, runId, action));
  withSender(program.command("retry <run>"))
    .summary("run again what failed, and what depends on it")
    .option("--step <id>", "only this step, and what depends on it")
    .action((runId: string, _: unknown, command: Command) => {
      const { step } = command.opts<{ step?: string }>();
      return act(command, runId, step === undefined ? "RETRY_RUN" : "RETRY_STEP", step);
    });
  withSender(program.command("skip <run> <step>"))
    .summary("go on without a step")
    .action((runId: string, step: string, _: unknown, command: Command) => act(command, runId, "SKIP_STEP", step));
}

async function act(command: Command, runId: string, action: Action, stepId?: string): Promise<void> {
  const options = command.optsWithGlobals<SenderOptions>();
  const step = stepId === undefined ? {} : { stepId };
  await withDesk(options, (desk) => desk.act(runId, action, { ...senderOf(options), ...step }));
  confirm(options, runId, { action, ...step });
}
