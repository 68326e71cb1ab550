import { InputError, runStatuses, type RunStatus } from "@runledger/contracts";
import { parseDuration } from "@runledger/core";
import type { ListOptions } from "../ledger/run-list.js";

/** What can be said on a command line about which runs are meant. */
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
  throw new InputError("OPTION_INVALID", "--limit", "write a number from 1 to 1000.");
}

function toStatus(text: string): RunStatus {
  const status = text.trim().toUpperCase() as RunStatus;
  if (runStatuses.includes(status)) return status;
  throw new InputError("OPTION_INVALID", "--status", `is ${text}; there are ${runStatuses.join(", ")}.`);
}

function toLabel(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new InputError("OPTION_INVALID", "--label", `is ${text}; write it as name=value.`);
}

/** How long ago, or when. */
function toTime(option: string, text: string): string {
  const ago = parseDuration(text);
  const time = ago === null ? Date.parse(text) : Date.now() - ago;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new InputError(
    "OPTION_INVALID",
    option,
    "write a duration, as in 12h or 7d, or a time, as in 2026-11-14T08:00Z.",
  );
}
