import { count, duration, relative } from "../../ui/format.js";
import type { ViewRow } from "../model/view.js";

/** What is worth saying about a step in one line. */
export function rowNote(row: ViewRow): string {
  if (row.container !== null && row.kind !== "pass") return containerNote(row);
  if (row.status === "WAITING") return waitNote(row);
  if (row.status === "RETRYING") return `${row.error ?? "failed"}, tries again ${soon(row.until)}`;
  if (row.status === "FAILED") return row.error ?? "failed";
  if (row.status === "SKIPPED") return row.reason === null ? "skipped" : `skipped: ${row.reason}`;
  if (row.takeOvers > 0)
    return `${lengthOf(row)} taken over ${row.takeOvers === 1 ? "once" : `${row.takeOvers} times`}`;
  return lengthOf(row);
}

function containerNote({ container, attempts, status }: ViewRow): string {
  const { tally, count: total } = container!;
  if (status === "NOT_STARTED") return "";
  const parts = [
    total === null ? null : `${count(Math.min(tally.done, total))} of ${count(total)}`,
    tally.failed > 0 ? `${count(tally.failed)} failed` : null,
    tally.running > 0 ? `${count(tally.running)} running` : null,
    attempts.at(-1)?.to === null ? null : spent(attempts.at(-1)),
  ];
  return parts.filter((part) => part !== null && part !== "").join(", ");
}

function waitNote({ signal, until, kind }: ViewRow): string {
  const what = kind === "sleep" ? "sleeps" : `waits for ${signal === null ? "a signal" : `“${signal}”`}`;
  return until === null ? what : `${what}, ${duration(Date.parse(until) - Date.now())} left`;
}

function soon(at: string | null): string {
  return at === null ? "soon" : relative(at, Date.now());
}

function lengthOf({ attempts }: ViewRow): string {
  return spent(attempts.at(-1));
}

function spent(attempt: ViewRow["attempts"][number] | undefined): string {
  if (attempt === undefined) return "";
  return duration((attempt.to ?? Date.now()) - attempt.from);
}
