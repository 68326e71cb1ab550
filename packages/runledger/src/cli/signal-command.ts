import type { Command } from "commander";
import type { Sender } from "./desk/desk.js";
import { withDesk } from "./desk/open-desk.js";
import { parseJson } from "./json-argument.js";
import { commandLine } from "./next-command.js";
import type { GlobalOptions } from "./session.js";
import { next, print, printJson } from "./terminal.js";

/** Who sends it, and under which id: the same id is sent once. */
export interface SenderOptions extends GlobalOptions {
  readonly by?: string;
  readonly signalId?: string;
}

export function addSignalCommand(program: Command): void {
  withSender(program.command("signal <run> <name> [payload]"))
    .summary("send a signal to a run")
    .description("Sends a signal to a run; it is kept until the run waits for it. The payload is JSON, {} by default.")
    .action(async (runId: string, name: string, payload: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<SenderOptions>();
      const value = parseJson("payload", payload ?? "{}");
      await withDesk(options, (desk) => desk.signal(runId, name, value, senderOf(options)));
      confirm(options, runId, { signal: name });
    });
}

export function withSender(command: Command): Command {
  return command
    .option("--by <who>", "who sends it, for the record (default: the user you are; a server goes by the key)")
    .option("--signal-id <id>", "send it at most once: a second call with this id changes nothing");
}

export function senderOf({ by, signalId }: SenderOptions): Sender {
  return { ...(by === undefined ? {} : { by }), ...(signalId === undefined ? {} : { signalId }) };
}

export function confirm(options: SenderOptions, runId: string, sent: Readonly<Record<string, string>>): void {
  if (options.json === true) return printJson({ runId, ...sent, accepted: true });
  print(`${Object.values(sent).join(" ")} accepted by ${runId}`);
  next(commandLine(options, "watch", runId));
}
