import {
  checkIdentifier,
  EVERY,
  InputError,
  limitScopes,
  type Limit,
  type LimitScope,
  type Limits,
  type LimitTarget,
} from "@runledger/contracts";
import { after, type AssertOpen } from "./checked-ports.js";
import { MAX_PRIORITY } from "./checked-queue.js";
import { checkWhole } from "./check-arguments.js";

/** The largest integer that every store can keep. */
const MOST = 2 ** 31 - 1;
const ORDERED: ReadonlySet<LimitScope> = new Set(["tenant", "project", "workflow"]);

export function checkedLimits(limits: Limits, open: AssertOpen): Limits {
  const target = (wanted: LimitTarget) => [open, () => checkTarget(wanted)];
  return {
    setLimit: (limit) => after([...target(limit), () => checkLimit(limit)], () => limits.setLimit(limit)),
    removeLimit: (wanted) => after(target(wanted), () => limits.removeLimit(wanted)),
    listLimits: () => after([open], () => limits.listLimits()),
  };
}

function checkTarget({ scope, subject }: LimitTarget): void {
  if (!limitScopes.includes(scope)) throw invalid("scope", `must be one of ${limitScopes.join(", ")}.`);
  if (scope === "overall") {
    if (subject !== "") throw invalid("subject", "must be empty, because overall counts all runs.");
  } else if (subject !== EVERY) checkSubject(scope, subject);
}

function checkSubject(scope: LimitScope, subject: string): void {
  const parts = typeof subject === "string" ? subject.split("|") : [subject];
  const wanted = scope === "project" || scope === "concurrencyKey" ? 2 : 1;
  if (parts.length !== wanted)
    throw invalid(
      "subject",
      wanted === 2 ? "must be a tenant, |, and a name, such as acme|reports." : "must be one name without |.",
    );
  for (const part of parts) checkIdentifier("subject", part);
}

function checkLimit({ scope, maxRunning, rate, maxQueued, priority }: Limit): void {
  checkCount("maxRunning", maxRunning, 0);
  checkCount("maxQueued", maxQueued, 0);
  checkCount("rate.starts", rate?.starts ?? null, 1);
  if (rate !== null) checkWhole("rate.perMs", rate.perMs, 1);
  if (priority === null) return;
  if (!ORDERED.has(scope))
    throw invalid("priority", "applies only to tenants, projects and workflows. Set it to null.");
  checkWhole("priority", priority, -MAX_PRIORITY);
  if (priority > MAX_PRIORITY) throw invalid("priority", `must be at most ${MAX_PRIORITY}.`);
}

function checkCount(field: string, value: number | null, least: number): void {
  if (value === null) return;
  checkWhole(field, value, least);
  if (value > MOST) throw invalid(field, `must be at most ${MOST}. Use null for no limit.`);
}

function invalid(field: string, message: string): InputError {
  return new InputError("OPTION_INVALID", field, message);
}
