/** Logs alerts and faults. */
import type { LogFields, Logger } from "./logger.js";
import { processLogger } from "./process-logger.js";

/** An alert of any part. */
export interface LoggedAlert {
  readonly code: string;
  readonly severity?: "critical" | "warning";
  readonly message: string;
  readonly runId?: string;
  readonly tenantId?: string;
}

/** A broken store fails ten times a second. Each fault is logged once per interval. */
const REPEAT_MS = 60_000;
const MOST_FAULTS = 1000;

/** Returns a function that logs an alert: as an error if an operator must act, otherwise as a warning. */
export function logAlert(logger?: Logger): (alert: LoggedAlert) => void {
  return ({ code, message, severity = "warning", ...ids }) => {
    const fields = { alert: code, severity, ...ids };
    (logger ?? processLogger())[severity === "critical" ? "error" : "warn"](fields, message);
  };
}

/** Returns a function that logs unexpected errors of a part, such as `worker`. */
export function logFault(part: string, logger?: Logger): (error: unknown, ids?: LogFields) => void {
  const loggedAt = new Map<string, number>();
  return (error, ids = {}) => {
    const err = errorFields(error);
    const key = JSON.stringify([err["code"], err["message"], ids]);
    if (Date.now() - (loggedAt.get(key) ?? -Infinity) < REPEAT_MS) return;
    if (loggedAt.size >= MOST_FAULTS) loggedAt.clear();
    loggedAt.set(key, Date.now());
    (logger ?? processLogger()).error({ part, ...ids, err }, String(err["message"]));
  };
}

/** Returns the data of an error that a log line has. */
export function errorFields(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name: type, message, stack = "" } = error;
  const { code } = error as { readonly code?: unknown };
  return { type, ...(typeof code === "string" && { code }), message, stack };
}
