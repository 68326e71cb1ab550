/** Manages subscriptions, which send events to other systems, and their dead letters. */
import type { Command } from "commander";
import { InputError, omitUndefined, type BusSettings, type SubscriptionFilter } from "@runledger/contracts";
import type { SubscriptionView } from "@runledger/runtime/outbox/subscription-view";
import { withBackend } from "../backend/open-backend.js";
import type { SubscriptionParams } from "../backend/outbox-backend.js";
import type { GlobalOptions } from "../global-options.js";
import { count } from "../render/format.js";
import { commandLine } from "../render/next-command.js";
import { subscriptionLines } from "../render/subscription-lines.js";
import { table } from "../render/table.js";
import { print, printJson, printNext } from "../render/terminal.js";
import { inputArgument } from "./json-argument.js";
import { collect, toLabel } from "./run-filter.js";

interface OutboxOptions extends GlobalOptions {
  readonly tenant?: string;
}

interface PutOptions extends OutboxOptions {
  readonly url?: string;
  readonly secret?: readonly string[];
  readonly batchSize?: string;
  readonly openlineage?: string;
  readonly namespace?: string;
  readonly bus?: string;
  readonly workflow?: readonly string[];
  readonly eventType?: readonly string[];
  readonly label?: readonly string[];
  readonly maxAttempts?: string;
  readonly from?: string;
}

export function addOutboxCommand(program: Command): void {
  const outbox = program.command("outbox").summary("manage subscriptions, which send events to other systems");
  const add = (usage: string, summary: string): Command =>
    outbox
      .command(usage)
      .summary(summary)
      .option("--tenant <id>", "tenant of the subscriptions (default: default, or the tenant of --key)");
  add("list", "list subscriptions with their backlog, lag and last error").action(run(list));
  add("show <id>", "show a subscription").action(run(show));
  add("put <id>", "create or replace a subscription; a replaced one continues where it was")
    .option("--url <url>", "send events to this webhook")
    .option("--secret <name>", "name of a key that signs the requests, or of an API key; repeatable", collect)
    .option("--batch-size <n>", "events of a run in one request (default: 1)")
    .option("--openlineage <url>", "send lineage to this OpenLineage receiver instead")
    .option("--namespace <name>", "namespace of the OpenLineage jobs (default: runledger)")
    .option("--bus <json>", "another bus: its type and settings as JSON, or @file")
    .option("--workflow <id>", "only runs of this workflow; repeatable", collect)
    .option("--event-type <type>", "only events of this type, such as RunCompleted; repeatable", collect)
    .option("--label <name=value>", "only runs with this label; repeatable", collect)
    .option("--max-attempts <n>", "failed attempts after which an event becomes a dead letter (default: 20)")
    .option("--from <start>", "where a new subscription starts: beginning, now or a time (default: now)")
    .action(run(put));
  add("pause <id>", "stop deliveries; events wait").action(run(change("pause")));
  add("resume <id>", "continue deliveries, and retry an unavailable bus now").action(run(change("resume")));
  add("rewind <id>", "deliver events again, and forget dead letters")
    .requiredOption("--from <start>", "beginning, now or a time, such as 2026-11-01T00:00:00Z")
    .action(run(rewind));
  add("delete <id>", "delete a subscription and its dead letters").action(run(remove));
  add("test <id>", "send one test event").action(run(test));
  add("dead-letters [id] [run]", "list dead letters, or show the one of a run with its event").action(run(deadLetters));
  add("redrive <id> <run>", "attempt a dead letter again").action(run(release("redrive")));
  add("drop <id> <run>", "skip a dead letter; the later events of the run follow").action(run(release("drop")));
}

/** Commander passes the arguments, then the command's options, then the command. */
function run(action: (options: never, id: string, runId: string) => Promise<void>) {
  return async (...args: readonly unknown[]): Promise<void> => {
    const command = args.at(-1) as Command;
    const [id = "", runId = ""] = command.args;
    await action(command.optsWithGlobals(), id, runId);
  };
}

async function list(options: OutboxOptions): Promise<void> {
  const found = await withBackend(options, (backend) => backend.outbox.list());
  if (options.json === true) return found.forEach(printJson);
  found.flatMap(subscriptionLines).forEach(print);
  if (found.length > 0) return;
  print("No subscriptions.");
  printNext(commandLine(options, "outbox", "put", "<id>", "--url", "https://example.com/hook"));
}

async function show(options: OutboxOptions, id: string): Promise<void> {
  showView(options, await withBackend(options, (backend) => backend.outbox.get(id)));
}

async function put(options: PutOptions, id: string): Promise<void> {
  const params = await paramsOf(options);
  showView(options, await withBackend(options, (backend) => backend.outbox.put(id, params), { create: true }));
  if (options.json !== true) printNext(commandLine(options, "outbox", "test", id));
}

async function paramsOf(options: PutOptions): Promise<SubscriptionParams> {
  const { maxAttempts, from } = options;
  const attempts = maxAttempts === undefined ? undefined : wholeNumber("--max-attempts", maxAttempts);
  return { bus: await busOf(options), filter: filterOf(options), ...omitUndefined({ maxAttempts: attempts, from }) };
}

async function busOf({ url, openlineage, bus, ...rest }: PutOptions): Promise<BusSettings> {
  const named = [url, openlineage, bus].filter((each) => each !== undefined);
  if (named.length !== 1) throw new InputError("OPTION_INVALID", "--url", ONE_BUS);
  if (bus !== undefined) return (await inputArgument("--bus", bus)) as BusSettings;
  return openlineage === undefined ? webhookOf(url!, rest) : lineageOf(openlineage, rest);
}

const ONE_BUS =
  "is needed to name a webhook, or --openlineage a receiver of lineage, or --bus another bus. Use one of them.";

function webhookOf(url: string, { secret, batchSize }: PutOptions): BusSettings {
  const size = batchSize === undefined ? undefined : wholeNumber("--batch-size", batchSize);
  return { type: "webhook", url, ...omitUndefined({ secrets: secret, batchSize: size }) };
}

function lineageOf(url: string, { secret: secrets = [], namespace }: PutOptions): BusSettings {
  if (secrets.length > 1) throw new InputError("OPTION_INVALID", "--secret", "names one API key for --openlineage.");
  return { type: "openlineage", url, ...omitUndefined({ namespace, secret: secrets[0] }) };
}

function filterOf({ workflow, eventType, label }: PutOptions): SubscriptionFilter {
  const labels = label && Object.fromEntries(label.map(toLabel));
  return omitUndefined({ workflows: workflow, eventTypes: eventType, labels });
}

function wholeNumber(option: string, text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InputError("OPTION_INVALID", option, `${text} is not a whole number.`);
}

function change(verb: "pause" | "resume") {
  return async (options: OutboxOptions, id: string): Promise<void> =>
    showView(options, await withBackend(options, (backend) => backend.outbox[verb](id)));
}

async function rewind(options: OutboxOptions & { readonly from: string }, id: string): Promise<void> {
  showView(options, await withBackend(options, (backend) => backend.outbox.rewind(id, options.from)));
}

async function remove(options: OutboxOptions, id: string): Promise<void> {
  await withBackend(options, (backend) => backend.outbox.remove(id));
  if (options.json === true) return printJson({ subscriptionId: id, removed: true });
  print(`Deleted ${id}. Events that it did not deliver remain in the log.`);
}

/** A test that fails exits with 1, so that a deployment can rely on it. */
async function test(options: OutboxOptions, id: string): Promise<void> {
  const { isDelivered, error } = await withBackend(options, (backend) => backend.outbox.test(id));
  if (options.json === true) printJson({ subscriptionId: id, isDelivered, ...omitUndefined({ error }) });
  else print(isDelivered ? `The bus of ${id} accepted a test event.` : `The test event was not delivered: ${error}`);
  if (!isDelivered) process.exitCode = 1;
}

async function deadLetters(options: OutboxOptions, id: string, runId: string): Promise<void> {
  if (runId !== "") return showDeadLetter(options, id, runId);
  const found = await withBackend(options, (backend) => backend.outbox.deadLetters(id === "" ? undefined : id));
  if (options.json === true) return found.forEach(printJson);
  const rows = found.map((each) => [
    each.subscriptionId,
    each.runId,
    String(each.runSeq),
    String(each.attempts),
    each.deadAt,
    each.error,
  ]);
  const head = ["SUBSCRIPTION", "RUN", "EVENT", "ATTEMPTS", "SINCE", "ERROR"];
  table(rows, { shrink: [5], head }).forEach((line) => print(line));
  const [first] = found;
  if (first === undefined) return print("No dead letters.");
  printNext(commandLine(options, "outbox", "dead-letters", first.subscriptionId, first.runId), "to see the event");
}

async function showDeadLetter(options: OutboxOptions, id: string, runId: string): Promise<void> {
  const letter = await withBackend(options, (backend) => backend.outbox.deadLetter(id, runId));
  if (options.json === true) return printJson(letter);
  const { runSeq, attempts, deadAt, error, event } = letter;
  print(`Event ${runSeq} of run ${runId} was refused ${count(attempts, "time")}, last at ${deadAt}.`);
  print(error);
  print(event === null ? "The event cannot be read." : JSON.stringify(event, null, 2));
  printNext(commandLine(options, "outbox", "redrive", id, runId), "to attempt it again");
  printNext(commandLine(options, "outbox", "drop", id, runId), "to skip it");
}

function release(verb: "redrive" | "drop") {
  return async (options: OutboxOptions, id: string, runId: string): Promise<void> => {
    await withBackend(options, (backend) => backend.outbox[verb](id, runId));
    if (options.json === true) return printJson({ subscriptionId: id, runId, action: verb });
    const done = verb === "redrive" ? "is attempted again" : "is skipped";
    print(`The event of run ${runId} ${done}; its later events follow.`);
  };
}

function showView(options: OutboxOptions, view: SubscriptionView): void {
  if (options.json === true) return printJson(view);
  subscriptionLines(view).forEach(print);
}
