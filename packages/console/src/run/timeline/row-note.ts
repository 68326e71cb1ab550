import { count, duration, relative } from "../../ui/format.js";
import type { ViewRow } from "../model/view.js";

/** What is worth saying about a step in one line, at the moment that is shown. */
export function rowNote(row: ViewRow, now: number): string {
  if (row.container !== null && row.kind !== "pass") return containerNote(row);
  if (row.status === "WAITING") return waitNote(row, now);
  if (row.status === "RETRYING") return `${row.error ?? "failed"}, tries again ${soon(row.until, now)}`;
  if (row.status === "FAILED") return row.error ?? "failed";
  if (row.status === "SKIPPED") return row.reason === null ? "skipped" : `skipped: ${row.reason}`;
  if (row.takeOvers > 0)
    return `${spent(row.attempts.at(-1), now)} taken over ${row.takeOvers === 1 ? "once" : `${row.takeOvers} times`}`;
  return spent(row.attempts.at(-1), now);
}

function containerNote({ container, attempts, status }: ViewRow): string {
  const { tally, count: total } = container!;
  const last = attempts.at(-1);
  if (status === "NOT_STARTED") return "";
  const parts = [
    total === null ? null : `${count(Math.min(tally.done, total))} of ${count(total)}`,
    tally.failed > 0 ? `${count(tally.failed)} failed` : null,
    tally.running > 0 ? `${count(tally.running)} running` : null,
    last === undefined || last.to === null ? null : spent(last, last.to),
  ];
  return parts.filter((part) => part !== null && part !== "").join(", ");
}

function waitNote({ signal, until, kind }: ViewRow, now: number): string {
  const what = kind === "sleep" ? "sleeps" : `waits for ${signal === null ? "a signal" : `“${signal}”`}`;
  return until === null ? what : `${what}, ${duration(Date.parse(until) - now)} left`;
}

function soon(at: string | null, now: number): string {
  return at === null || Date.parse(at) <= now ? "soon" : relative(at, now);
}

function spent(attempt: ViewRow["attempts"][number] | undefined, now: number): string {
  if (attempt === undefined) return "";
  return duration((attempt.to ?? now) - attempt.from);
}
