import type { RunDiff } from "@runledger/client";

export type DiffRow = RunDiff["items"][number];
export type DiffSide = NonNullable<DiffRow["one"]>;

const WORDS: Readonly<Record<DiffSide["status"], string>> = {
  PENDING: "is pending",
  RUNNING: "is running",
  SUCCESS: "succeeded",
  FAILED: "failed",
  SKIPPED: "was skipped",
};

/** Returns how two steps differ in outcome or duration. Empty if they do not differ noticeably. */
export function differenceOf({ one, other, differs }: DiffRow): string {
  if (one === null) return "only in B";
  if (other === null) return "only in A";
  if (differs.includes("status")) return `A ${WORDS[one.status]}, B ${WORDS[other.status]}`;
  if (differs.includes("error")) return `${one.errorCode ?? "no error"} in A, ${other.errorCode ?? "none"} in B`;
  if (differs.includes("attempts")) return `attempt ${one.attempts} in A, ${other.attempts} in B`;
  return slower(one.durationMs, other.durationMs);
}

/** Reports differences of at least 20% and 10 ms. */
function slower(before: number | null, after: number | null): string {
  if (before === null || after === null || before === 0) return "";
  const share = after / before - 1;
  if (Math.abs(share) < 0.2 || Math.abs(after - before) < 10) return "";
  return share > 0 ? `B ${Math.round(share * 100)}% slower` : `B ${Math.round(-share * 100)}% faster`;
}
