import { omitUndefined } from "@runledger/contracts";
import type { Command } from "commander";
import type { Action } from "@runledger/core";
import { withRun } from "../backend/find-run.js";
import { confirm, senderOf, withSender, type SenderOptions } from "./signal-command.js";

const PLAIN = [
  ["approve", "APPROVE", "approve a run that waits for approval"],
  ["pause", "PAUSE", "pause a run after its running steps finish"],
  ["resume", "RESUME", "resume a paused run"],
  ["cancel", "CANCEL", "cancel a run: abort running steps, then run compensations"],
  ["compensate", "COMPENSATE", "compensate the completed steps of a failed run"],
] as const satisfies readonly (readonly [string, Action, string])[];

/** Actions of an operator on a run. Each is recorded with its sender. */
export function addActionCommands(program: Command): void {
  for (const [name, action, summary] of PLAIN)
    withSender(program.command(`${name} <run>`))
      .summary(summary)
      .action((runId: string, _: unknown, command: Command) => act(command, runId, action));
  withSender(program.command("retry <run>"))
    .summary("retry failed steps, and the steps that depend on them")
    .option("--step <id>", "retry only this step, and the steps that depend on it")
    .action((runId: string, _: unknown, command: Command) => {
      const { step } = command.opts<{ step?: string }>();
      return act(command, runId, step === undefined ? "RETRY_RUN" : "RETRY_STEP", step);
    });
  withSender(program.command("skip <run> <step>"))
    .summary("skip a step and continue")
    .action((runId: string, step: string, _: unknown, command: Command) => act(command, runId, "SKIP_STEP", step));
}

async function act(command: Command, given: string, action: Action, stepId?: string): Promise<void> {
  const options = command.optsWithGlobals<SenderOptions>();
  const step = omitUndefined({ stepId });
  const runId = await withRun(options, given, async (backend, found) => {
    await backend.act(found, action, { ...senderOf(options), ...step });
    return found;
  });
  confirm(options, runId, { action, ...step });
}
