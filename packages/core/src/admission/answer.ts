import type { Explanation, WaitReason } from "./explain.js";

/** The admission of a started run. A rejected start throws QUEUE_FULL and creates no run. */
export type Admission =
  | { readonly answer: "ACCEPT" }
  /** `expectedAt` is `null` if no estimate is possible. */
  | {
      readonly answer: "QUEUE";
      readonly position: number;
      readonly reasons: readonly WaitReason[];
      readonly expectedAt: string | null;
    }
  /** The run starts at a known time: the requested one, or the one that a rate allows. */
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

/** Returns `true` if the end of the wait is unknown: the run waits for a slot or for a worker. */
function isOpenEnded(reason: WaitReason): boolean {
  return reason.kind === "worker" || (reason.kind === "limit" && reason.what === "running");
}
