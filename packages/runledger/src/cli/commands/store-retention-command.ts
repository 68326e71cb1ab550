/** Manages retention policies, reports what they would do, and executes them once. */
import { Option, type Command } from "commander";
import { EVERY, omitUndefined, retentionKinds, type RetentionPolicy } from "@runledger/contracts";
import { formatDuration } from "@runledger/core";
import type { RetentionPolicyOptions, RetentionTargetOptions } from "@runledger/runtime/retention/ledger-retention";
import { auditEntry } from "../backend/audit-entry.js";
import { withLedger } from "../backend/open-backend.js";
import { exitCodes } from "../exit-codes.js";
import { refuseServer, resolveArchivePlace, type GlobalOptions } from "../global-options.js";
import { count } from "../render/format.js";
import { commandLine } from "../render/next-command.js";
import { errorLines } from "../render/report-error.js";
import { table } from "../render/table.js";
import { printNext, print, printError, printJson } from "../render/terminal.js";
import { stopSignal } from "../stop-signals.js";

interface TargetOptions extends GlobalOptions {
  readonly kind: (typeof retentionKinds)[number];
  readonly tenant: string;
  readonly workflow: string;
  readonly artifactKind?: string;
}

interface SetOptions extends TargetOptions, Pick<RetentionPolicyOptions, "archiveAfter" | "deleteAfter"> {}

interface RunOptions extends GlobalOptions {
  readonly dryRun?: boolean;
}

export function addStoreRetention(store: Command): void {
  const retention = store
    .command("retention")
    .summary("keep and delete runs by policies")
    .description(
      "Manages policies on how long data is kept. `runledger serve` executes them. Finished runs are archived first and " +
        "deleted later. A policy of a tenant and workflow precedes that of the tenant, of the workflow, and of all.",
    );
  retention
    .command("list")
    .summary("list retention policies")
    .action((_: unknown, command: Command) => list(command.optsWithGlobals()));
  withTarget(retention.command("set"))
    .summary("create or replace a retention policy")
    .option(
      "--archive-after <duration>",
      "archive finished runs after this time, such as 30d (default: with their deletion)",
    )
    .option("--delete-after <duration>", "delete the data after this time, such as 365d (default: never)")
    .action((_: unknown, command: Command) => set(command.optsWithGlobals()));
  withTarget(retention.command("remove"))
    .summary("remove a retention policy")
    .action((_: unknown, command: Command) => remove(command.optsWithGlobals()));
  retention
    .command("run")
    .summary("execute all retention policies once")
    .description("Does what a server with the role `retention` does. It can be stopped at any time and repeated.")
    .option("--dry-run", "report what would be archived and deleted, and change nothing")
    .action((_: unknown, command: Command) => run(command.optsWithGlobals()));
}

function withTarget(command: Command): Command {
  return command
    .addOption(new Option("--kind <kind>", "data that the policy covers").choices(retentionKinds).default("runs"))
    .option("--tenant <name>", "tenant of the policy; * for every tenant without its own", EVERY)
    .option("--workflow <id>", "workflow of the policy; * for every workflow without its own", EVERY)
    .option(
      "--artifact-kind <kind>",
      "for --kind artifacts: kind of artifact (default: every kind without its own policy)",
    );
}

const targetOf = ({ kind, tenant, workflow, artifactKind }: TargetOptions): RetentionTargetOptions => ({
  kind,
  tenantId: tenant,
  ...(artifactKind === undefined ? { workflowId: workflow } : { artifactKind }),
});

const targetText = ({ kind, tenant, workflow, artifactKind = workflow }: TargetOptions): string =>
  `${kind} ${tenant} ${artifactKind}`;
const ageText = (ms: number | null, none: string): string => (ms === null ? none : formatDuration(ms));
const HEAD = ["KIND", "TENANT", "WORKFLOW OR KIND", "ARCHIVE AFTER", "DELETE AFTER"];

async function list(options: GlobalOptions): Promise<void> {
  refuseServer(options, "store retention");
  const policies = await withLedger(options, ({ retention }) => retention.list());
  if (options.json === true) return policies.forEach(printJson);
  table(policies.map(rowOf), { shrink: [2, 1], head: HEAD }).forEach((line) => print(line));
  if (policies.length === 0) print("No policies: everything is kept.");
  const example = ["set", "--archive-after", "30d", "--delete-after", "365d"];
  printNext(commandLine(options, "store", "retention", ...example), "to add a policy for all runs");
}

function rowOf({ kind, tenantId, workflowId, archiveAfterMs, deleteAfterMs }: RetentionPolicy): string[] {
  return [kind, tenantId, workflowId, ageText(archiveAfterMs, "-"), ageText(deleteAfterMs, "never")];
}

async function set(options: SetOptions): Promise<void> {
  refuseServer(options, "store retention");
  const { archiveAfter, deleteAfter } = options;
  const policy = await withLedger(options, async ({ retention, store }) => {
    const saved = await retention.set({ ...targetOf(options), ...omitUndefined({ archiveAfter, deleteAfter }) });
    await store.audit.recordAudit([auditEntry("setRetention", tenantOf(options), targetText(options))]);
    return saved;
  });
  if (options.json === true) return printJson(policy);
  table([rowOf(policy)], { shrink: [2, 1], head: HEAD }).forEach((line) => print(line));
  printNext(commandLine(options, "store", "retention", "run", "--dry-run"), "to see what it would do now");
}

async function remove(options: TargetOptions): Promise<void> {
  refuseServer(options, "store retention");
  const removed = await withLedger(options, async ({ retention, store }) => {
    const existed = await retention.remove(targetOf(options));
    if (existed) await store.audit.recordAudit([auditEntry("removeRetention", tenantOf(options), targetText(options))]);
    return existed;
  });
  if (options.json === true) return printJson({ removed });
  print(removed ? "Removed the policy." : "There was no such policy.");
  printNext(commandLine(options, "store", "retention", "list"));
}

const tenantOf = ({ tenant }: TargetOptions): string | null => (tenant === EVERY ? null : tenant);

async function run(options: RunOptions): Promise<void> {
  refuseServer(options, "store retention");
  if (options.dryRun === true) return await dryRun(options);
  using stopped = stopSignal();
  const { signal } = stopped;
  const archive = await resolveArchivePlace(options);
  const onFault = (error: unknown): void => errorLines(error).forEach((line) => printError(`error ${line}`));
  const result = await withLedger(options, ({ retention }) => retention.run({ signal, archive, onFault }));
  if (signal.aborted) process.exitCode = exitCodes.interrupted;
  if (options.json === true) return printJson({ ...result, ...(signal.aborted && { stopped: true }) });
  const { archived, deleted, artifacts, left, startKeys, deadLetters, auditEntries } = result;
  print(`${count(archived, "run")} archived, ${count(deleted, "run")} deleted.`);
  for (const [reason, runs] of Object.entries(left)) print(`${count(runs, "run")} left: ${REASONS[reason] ?? reason}.`);
  if (artifacts > 0) print(`${count(artifacts, "artifact")} expired.`);
  if (startKeys + deadLetters + auditEntries > 0)
    print(`Also deleted: ${startKeys} start keys, ${deadLetters} dead letters, ${auditEntries} audit entries.`);
  printNext(commandLine(options, "store", "verify"), "to check the store");
}

const REASONS: Readonly<Record<string, string>> = {
  "not-terminal": "not finished",
  damaged: "events are missing from the log",
  leased: "owned by a worker",
  followed: "not yet read by every follower",
  changed: "changed during the archiving",
  child: "the parent exists",
  forked: "a fork of the run exists",
  undelivered: "not yet delivered to every subscription",
  "not-copied": "not copied to the archive of files",
  "artifacts-child": "its expired artifacts are kept, because its parent is not archived",
  "artifacts-forked": "its expired artifacts are kept, because a fork exists",
  "artifacts-unprojected": "its expired artifacts are kept until it is projected",
};

async function dryRun(options: GlobalOptions): Promise<void> {
  const report = await withLedger(options, ({ retention }) => retention.report());
  if (options.json === true) return report.forEach(printJson);
  const rows = report.map((group) => [
    group.tenantId,
    group.workflowId,
    String(group.toArchive),
    String(group.toDelete),
  ]);
  table(rows, { shrink: [1, 0], head: ["TENANT", "WORKFLOW", "TO ARCHIVE", "TO DELETE"] }).forEach((line) =>
    print(line),
  );
  if (report.length === 0) print("No run is due.");
  else printNext(commandLine(options, "store", "retention", "run"), "to archive and delete them now");
}
