import { count, duration, relative } from "../../ui/format.js";
import type { ViewRow } from "../model/view.js";

/** Returns a one-line note on a step at the time that is shown. */
export function rowNote(row: ViewRow, now: number): string {
  if (row.container !== null && row.kind !== "pass") return containerNote(row);
  if (row.status === "WAITING") return waitNote(row, now);
  if (row.status === "RETRYING") return `${row.error ?? "failed"}, retrying ${soon(row.until, now)}`;
  if (row.status === "FAILED") return row.error ?? "failed";
  if (row.status === "CANCELLED") return row.reason === null ? "cancelled" : `cancelled ${row.reason}`;
  if (row.status === "SKIPPED") return row.reason === null ? "skipped" : `skipped: ${row.reason}`;
  if (isWait(row) && row.status === "SUCCESS") return `waited ${elapsed(row.attempts.at(-1), now)}`;
  if (row.takeOvers > 0)
    return `${elapsed(row.attempts.at(-1), now)} taken over ${row.takeOvers === 1 ? "once" : `${row.takeOvers} times`}`;
  return elapsed(row.attempts.at(-1), now);
}

function containerNote({ container, attempts, status }: ViewRow): string {
  const { tally, count: total } = container!;
  const last = attempts.at(-1);
  if (status === "NOT_STARTED") return "";
  const parts = [
    total === null ? null : `${count(Math.min(tally.done, total))} of ${count(total)}`,
    tally.failed > 0 ? `${count(tally.failed)} failed` : null,
    tally.running > 0 ? `${count(tally.running)} running` : null,
    last === undefined || last.to === null ? null : elapsed(last, last.to),
  ];
  return parts.filter((part) => part !== null && part !== "").join(", ");
}

export function isWait({ kind }: ViewRow): boolean {
  return kind === "wait" || kind === "sleep";
}

function waitNote({ signal, until, kind }: ViewRow, now: number): string {
  const what = kind === "sleep" ? "sleeping" : `waiting for ${signal === null ? "a signal" : `“${signal}”`}`;
  return until === null ? what : `${what}, ${duration(Date.parse(until) - now)} left`;
}

function soon(at: string | null, now: number): string {
  return at === null || Date.parse(at) <= now ? "soon" : relative(at, now);
}

function elapsed(attempt: ViewRow["attempts"][number] | undefined, now: number): string {
  if (attempt === undefined) return "";
  return duration((attempt.to ?? now) - attempt.from);
}
