import { checkIdentifier, InputError, type Erasure } from "@runledger/contracts";
import { after, type AssertOpen } from "./checked-ports.js";

const MAX_REASON = 1000;
const UNSTORABLE = /\u0000|\p{Surrogate}/u;

export function checkedErasure(erasure: Erasure, open: AssertOpen): Erasure {
  const checks = (runId: string, by: string, reason: string) => [
    open,
    () => checkIdentifier("runId", runId),
    () => checkIdentifier("by", by),
    () => checkReason(reason),
  ];
  return {
    eraseRun: (request) => after(checks(request.runId, request.by, request.reason), () => erasure.eraseRun(request)),
  };
}

/** The reason stays in the log, so it must fit there. */
function checkReason(reason: unknown): void {
  if (typeof reason === "string" && reason.trim() !== "" && reason.length <= MAX_REASON && !UNSTORABLE.test(reason))
    return;
  throw new InputError("OPTION_INVALID", "reason", `must be a text of 1 to ${MAX_REASON} characters.`);
}
