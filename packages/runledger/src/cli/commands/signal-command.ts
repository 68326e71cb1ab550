import { omitUndefined } from "@runledger/contracts";
import type { Command } from "commander";
import type { Sender } from "../backend/backend.js";
import { withRun } from "../backend/find-run.js";
import { parseJson } from "./json-argument.js";
import { commandLine } from "../render/next-command.js";
import type { GlobalOptions } from "../global-options.js";
import { printNext, print, printJson } from "../render/terminal.js";

/** The sender, and an id that makes the signal idempotent. */
export interface SenderOptions extends GlobalOptions {
  readonly by?: string;
  readonly signalId?: string;
}

export function addSignalCommand(program: Command): void {
  withSender(program.command("signal <run> <name> [payload]"))
    .summary("send a signal to a run")
    .description(
      "Sends a signal to a run, which keeps it until a step waits for it. The payload is JSON, {} by default.",
    )
    .action(async (given: string, name: string, payload: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<SenderOptions>();
      const value = parseJson("payload", payload ?? "{}");
      const runId = await withRun(options, given, async (backend, found) => {
        await backend.signal(found, name, value, senderOf(options));
        return found;
      });
      confirm(options, runId, { signal: name });
    });
}

export function withSender(command: Command): Command {
  return command
    .option("--by <who>", "recorded sender (default: the current user; not with --server, which records the key)")
    .option("--signal-id <id>", "idempotency key: a second call with the same id has no effect");
}

export function senderOf({ by, signalId }: SenderOptions): Sender {
  return omitUndefined({ by, signalId });
}

export function confirm(options: SenderOptions, runId: string, sent: Readonly<Record<string, string>>): void {
  if (options.json === true) return printJson({ runId, ...sent, accepted: true });
  print(`${Object.values(sent).join(" ")} accepted by ${runId}`);
  printNext(commandLine(options, "watch", runId));
}
