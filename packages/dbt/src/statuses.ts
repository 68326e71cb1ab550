/** The meaning of the statuses that dbt gives its nodes. */
export type NodeOutcome = "done" | "failed" | "skipped";

const DONE = new Set(["success", "pass", "warn", "no-op"]);

/** An unknown status counts as failed, so that no future status becomes a false success. */
export function outcomeOf(status: string): NodeOutcome {
  if (DONE.has(status)) return "done";
  return status === "skipped" ? "skipped" : "failed";
}
