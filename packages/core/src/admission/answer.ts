import type { Explanation, WaitReason } from "./explain.js";

/**
 * What becomes of a run that was let in (execution-semantics 3). Who is rejected is told by an error, QUEUE_FULL, and
 * has no run.
 */
export type Admission =
  | { readonly answer: "ACCEPT" }
  /** `expectedAt` null = nobody can tell. */
  | {
      readonly answer: "QUEUE";
      readonly position: number;
      readonly reasons: readonly WaitReason[];
      readonly expectedAt: string | null;
    }
  /** It begins at a time: the one it was given, or the one that a rate leaves it. */
  | { readonly answer: "DELAY"; readonly startAt: string; readonly reasons: readonly WaitReason[] };

export function answerOf({ reasons, position, expectedAt }: Explanation): Admission {
  if (reasons.length === 0) return { answer: "ACCEPT" };
  const times = reasons.flatMap((reason) => timeOf(reason) ?? []);
  const startAt = times.reduce<string | null>(
    (latest, time) => (latest === null || time > latest ? time : latest),
    null,
  );
  if (startAt !== null && !reasons.some(isOpenEnded)) return { answer: "DELAY", startAt, reasons };
  return { answer: "QUEUE", position: position ?? 1, reasons, expectedAt };
}

function timeOf(reason: WaitReason): string | null {
  if (reason.kind === "delayed") return reason.until;
  return reason.kind === "limit" ? reason.freeAt : null;
}

/** Nobody knows when a slot is free, or a worker there. */
function isOpenEnded(reason: WaitReason): boolean {
  return reason.kind === "worker" || (reason.kind === "limit" && reason.what === "running");
}
