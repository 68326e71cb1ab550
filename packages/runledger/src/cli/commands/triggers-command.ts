/** Manages triggers, which start runs for events of other systems. */
import type { Command } from "commander";
import { InputError, omitUndefined, type SourceSettings } from "@runledger/contracts";
import type { TriggerView } from "@runledger/runtime/triggers/trigger-view";
import { withBackend } from "../backend/open-backend.js";
import type { TriggerParams } from "../backend/trigger-backend.js";
import type { GlobalOptions } from "../global-options.js";
import { commandLine } from "../render/next-command.js";
import { table } from "../render/table.js";
import { print, printJson, printNext } from "../render/terminal.js";
import { triggerLines } from "../render/trigger-lines.js";
import { inputArgument } from "./json-argument.js";
import { collect, toLabel } from "./run-filter.js";

interface TriggersOptions extends GlobalOptions {
  readonly tenant?: string;
}

interface PutOptions extends TriggersOptions {
  readonly workflow: string;
  readonly secret?: readonly string[];
  readonly source?: string;
  readonly filter?: string;
  readonly input?: string;
  readonly startKey?: string;
  readonly label?: readonly string[];
  readonly concurrencyKey?: string;
  readonly maxAttempts?: string;
  readonly from?: string;
}

export function addTriggersCommand(program: Command): void {
  const triggers = program.command("triggers").summary("manage triggers, which start runs for events");
  const add = (usage: string, summary: string): Command =>
    triggers
      .command(usage)
      .summary(summary)
      .option("--tenant <id>", "tenant of the triggers (default: default, or the tenant of --key)");
  add("list", "list triggers with their counters and last error").action(run(list));
  add("show <id>", "show a trigger and its last rejected events").action(run(show));
  add("put <id>", "create or replace a trigger; a replaced one continues where it was")
    .requiredOption("--workflow <id[@version]>", "the workflow to start")
    .option("--secret <name>", "receive signed webhooks; name of a key that senders sign with; repeatable", collect)
    .option("--source <json>", "another source: its type and settings as JSON, or @file")
    .option("--filter <cel>", "only events for which this is true, such as 'event.type == \"order.created\"'")
    .option("--input <cel>", "computes the input (default: event.data)")
    .option("--start-key <cel>", "computes the key that has one run (default: source and id of the event)")
    .option("--label <name=cel>", "computes a label of the run; repeatable", collect)
    .option("--concurrency-key <cel>", "computes the key of runs that run one at a time")
    .option("--max-attempts <n>", "failed attempts after which an event of a broker is rejected (default: 5)")
    .option("--from <start>", "first events of a broker: beginning, now or a time (default: now)")
    .action(run(put));
  add("pause <id>", "start no more runs; events wait with the broker").action(run(change("pause")));
  add("resume <id>", "start runs again").action(run(change("resume")));
  add("delete <id>", "delete a trigger; its runs stay").action(run(remove));
  add("test <id>", "show what an event would start")
    .requiredOption("--event <json>", "a CloudEvent or any data as JSON, @file, or - for standard input")
    .action(run(test));
}

/** Commander passes the arguments, then the command's options, then the command. */
function run(action: (options: never, id: string) => Promise<void>) {
  return async (...args: readonly unknown[]): Promise<void> => {
    const command = args.at(-1) as Command;
    await action(command.optsWithGlobals(), command.args[0] ?? "");
  };
}

async function list(options: TriggersOptions): Promise<void> {
  const found = await withBackend(options, (backend) => backend.triggers.list());
  if (options.json === true) return found.forEach(printJson);
  found.flatMap(triggerLines).forEach(print);
  if (found.length > 0) return;
  print("No triggers.");
  printNext(commandLine(options, "triggers", "put", "<id>", "--workflow", "<workflow>", "--secret", "<name>"));
}

async function show(options: TriggersOptions, id: string): Promise<void> {
  const view = await withBackend(options, (backend) => backend.triggers.get(id));
  showView(options, view);
  if (options.json === true) return;
  const rows = view.rejections.map(({ at, eventId, position, message }) => [at, eventId ?? "-", position, message]);
  table(rows, { shrink: [3], head: ["REJECTED", "EVENT", "POSITION", "ERROR"] }).forEach((line) => print(line));
}

async function put(options: PutOptions, id: string): Promise<void> {
  const params = await paramsOf(options);
  showView(options, await withBackend(options, (backend) => backend.triggers.put(id, params), { create: true }));
  if (options.json !== true) printNext(commandLine(options, "triggers", "test", id, "--event", "@event.json"));
}

async function paramsOf(options: PutOptions): Promise<TriggerParams> {
  const { filter, input, startKey: key, label, concurrencyKey, maxAttempts, from } = options;
  const [, workflow = "", version] = /^(.*?)(?:@([^@]+))?$/.exec(options.workflow) ?? [];
  const labels = label && Object.fromEntries(label.map(toLabel));
  const attempts = maxAttempts === undefined ? undefined : wholeNumber("--max-attempts", maxAttempts);
  const mapping = omitUndefined({ filter, input, key, labels, concurrencyKey });
  return {
    source: await sourceOf(options),
    workflow,
    ...mapping,
    ...omitUndefined({ version, maxAttempts: attempts, from }),
  };
}

async function sourceOf({ secret, source }: PutOptions): Promise<SourceSettings> {
  if ((secret === undefined) === (source === undefined))
    throw new InputError("OPTION_INVALID", "--secret", "is needed to receive webhooks, or --source to read a broker.");
  if (secret !== undefined) return { type: "webhook", secrets: [...secret] };
  return (await inputArgument("--source", source!)) as SourceSettings;
}

function wholeNumber(option: string, text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InputError("OPTION_INVALID", option, `${text} is not a whole number.`);
}

function change(verb: "pause" | "resume") {
  return async (options: TriggersOptions, id: string): Promise<void> =>
    showView(options, await withBackend(options, (backend) => backend.triggers[verb](id)));
}

async function remove(options: TriggersOptions, id: string): Promise<void> {
  await withBackend(options, (backend) => backend.triggers.remove(id));
  if (options.json === true) return printJson({ triggerId: id, removed: true });
  print(`Deleted ${id}. Its runs stay.`);
}

/** A rejected event exits with 1, so that a deployment can rely on it. */
async function test(options: TriggersOptions & { readonly event: string }, id: string): Promise<void> {
  const event = await inputArgument("--event", options.event);
  const result = await withBackend(options, (backend) => backend.triggers.test(id, event));
  if (result.outcome === "rejected") process.exitCode = 1;
  if (options.json === true) return printJson({ triggerId: id, ...result });
  if (result.outcome === "skipped") return print("The filter excludes the event.");
  if (result.outcome === "rejected") return print(`The event is rejected. ${result.error}`);
  print(`The event starts a run with the key ${result.key} and this input:`);
  print(JSON.stringify(result.input, null, 2));
}

function showView(options: TriggersOptions, view: TriggerView): void {
  if (options.json === true) return printJson(view);
  triggerLines(view).forEach(print);
}
