/** Formats wait reasons for people. The CLI, the API and the console share these texts. */
import { EVERY, MOST_AHEAD, type LimitTarget } from "@runledger/contracts";
import type { LimitReason, WaitReason } from "@runledger/core";

/** `limit of tenant acme: 3 of 3 run (run-1, run-2, run-3)` */
export function reasonText(reason: WaitReason): string {
  switch (reason.kind) {
    case "delayed":
      return `delayed until ${reason.until}`;
    case "paused":
      return "paused";
    case "approval":
      return "waiting for approval";
    case "signal":
      return `waiting for signal ${reason.signal}${reason.until === null ? "" : ` until ${reason.until}`}`;
    case "timer":
      return `${reason.stepId} waits until ${reason.until}`;
    case "child":
      return `waiting for run ${reason.runId}`;
    case "worker":
      return reason.message;
    case "turn":
      return `${reason.ahead >= MOST_AHEAD ? `${MOST_AHEAD} or more` : reason.ahead} ahead of it`;
    case "limit":
      return limitText(reason);
  }
}

function limitText({ target, what, value, holders, freeAt }: LimitReason): string {
  const by = holders.length === 0 ? "" : ` (${holders.join(", ")}${holders.length < value ? ", …" : ""})`;
  if (what === "rate")
    return `limit of ${targetText(target)}: ${value} started recently; the next may start at ${freeAt}`;
  const verb = target.scope === "concurrencyKey" ? "taken" : "running";
  return `limit of ${targetText(target)}: ${value} of ${value} ${verb}${by}`;
}

/** `tenant acme`, `project acme/web`, `every tenant` */
function targetText({ scope, subject }: LimitTarget): string {
  const name = { overall: "all runs", concurrencyKey: "concurrency key" }[scope as string] ?? scope;
  if (scope === "overall") return name;
  return subject === EVERY ? `every ${name}` : `${name} ${subject.replace("|", "/")}`;
}
