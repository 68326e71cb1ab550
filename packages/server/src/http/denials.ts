import type { ErrorCode } from "@runledger/contracts";

const DENIALS: ReadonlySet<ErrorCode> = new Set(["UNAUTHENTICATED", "FORBIDDEN", "HOST_REFUSED", "ORIGIN_REFUSED"]);

/** Returns true if the audit log contains calls that are refused with this code. */
export function isDenial(code: ErrorCode): boolean {
  return DENIALS.has(code);
}
