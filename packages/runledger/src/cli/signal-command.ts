import { userInfo } from "node:os";
import type { Command } from "commander";
import type { Json } from "@runledger/contracts";
import type { Ledger } from "../ledger/ledger.js";
import { loadState } from "../ledger/load-state.js";
import { parseJson } from "./json-argument.js";
import { commandLine } from "./next-command.js";
import { projectIfAny, withLedger, type GlobalOptions } from "./session.js";
import { next, print, printJson } from "./terminal.js";
import { workflowOf } from "./workflow-choice.js";

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
      await withLedger(options, (ledger) => send(ledger, runId, { name, value, options }));
      confirm(options, runId, { signal: name });
    });
}

interface Sending {
  readonly name: string;
  readonly value: Json;
  readonly options: SenderOptions;
}

/** Where the project has the run's workflow, its schema judges the payload before anything is sent. */
async function send(ledger: Ledger, runId: string, { name, value, options }: Sending): Promise<void> {
  const workflow = workflowOf(await projectIfAny(options), await loadState(ledger.store, runId));
  if (workflow === null) return ledger.signal(runId, name, value, senderOf(options));
  const run = await ledger.get(workflow, runId);
  await run.signal(name as never, value, senderOf(options));
}

export function withSender(command: Command): Command {
  return command
    .option("--by <who>", "who sends it, for the record (default: the user you are)")
    .option("--signal-id <id>", "send it at most once: a second call with this id changes nothing");
}

export function senderOf({ by, signalId }: SenderOptions): { readonly by: string; readonly signalId?: string } {
  return { by: by ?? userName(), ...(signalId === undefined ? {} : { signalId }) };
}

/** A container's user may have a number and no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? ""}`;
  }
}

export function confirm(options: SenderOptions, runId: string, sent: Readonly<Record<string, string>>): void {
  if (options.json === true) return printJson({ runId, ...sent, accepted: true });
  print(`${Object.values(sent).join(" ")} accepted by ${runId}`);
  next(commandLine(options, "watch", runId));
}
