import type { Command } from "commander";
import { InputError, runStatuses, type RunStatus } from "@runledger/contracts";
import { parseDuration } from "@runledger/core";
import type { ListOptions } from "@runledger/runtime/ledger/run-list";

/** Options that select runs. */
export interface RunFilterOptions {
  readonly status?: readonly string[];
  readonly workflow?: string;
  readonly label?: readonly string[];
  readonly error?: string;
  readonly since: string;
  readonly until?: string;
  readonly project?: string;
  readonly environment?: string;
  readonly tenant?: string;
  readonly parent?: string;
  readonly schedule?: string;
}

/** Adds the options that select runs. */
export function addRunFilters(command: Command): Command {
  return command
    .option("--status <status>", "only runs with this status, such as RUNNING; repeatable", collect)
    .option("--workflow <id[@version]>", "only runs of this workflow, or of one version of it")
    .option("--label <name=value>", "only runs with this label; repeatable", collect)
    .option("--error <text>", "only runs whose failed step or error contains this text")
    .option("--since <time>", "only runs created in this period (12h, 7d) or since this time (2026-11-14T08:00Z)", "7d")
    .option("--until <time>", "only runs created before this time")
    .option("--project <id>", "only runs of this project")
    .option("--environment <id>", "only runs in this environment")
    .option("--tenant <id>", "only runs of this tenant")
    .option("--parent <run>", "only child runs of this run")
    .option("--schedule <id>", "only runs started by this schedule");
}

export function runFilter(options: RunFilterOptions): ListOptions {
  const { status, workflow, label, error, since, until, project, environment, tenant, parent, schedule } = options;
  const [, id, version] = /^(.*?)(?:@([^@]+))?$/.exec(workflow ?? "")!;
  const filter = {
    status: status?.flatMap((text) => text.split(",")).map(toStatus),
    workflow: id === "" ? undefined : id,
    version,
    labels: label === undefined ? undefined : Object.fromEntries(label.map(toLabel)),
    error,
    since: toTime("--since", since),
    until: until === undefined ? undefined : toTime("--until", until),
    projectId: project,
    environmentId: environment,
    tenantId: tenant,
    parent,
    schedule,
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

export function runLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 1000) return limit;
  throw new InputError("OPTION_INVALID", "--limit", `${text} is not a number from 1 to 1000.`);
}

function toStatus(text: string): RunStatus {
  const status = text.trim().toUpperCase() as RunStatus;
  if (runStatuses.includes(status)) return status;
  throw new InputError("OPTION_INVALID", "--status", `unknown status ${text}. Use one of ${runStatuses.join(", ")}.`);
}

export function toLabel(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new InputError("OPTION_INVALID", "--label", `${text} is not a label. Use name=value.`);
}

/** Parses a duration before now, or a time. */
function toTime(option: string, text: string): string {
  const ago = parseDuration(text);
  const time = ago === null ? Date.parse(text) : Date.now() - ago;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new InputError(
    "OPTION_INVALID",
    option,
    `${text} is neither a duration such as 12h or 7d, nor a time such as 2026-11-14T08:00Z.`,
  );
}

/** For an option that can be given several times. */
export const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];
