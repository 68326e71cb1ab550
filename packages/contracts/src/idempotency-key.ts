import { RUN_LEVEL } from "./identifiers.js";
import { portableSha256 } from "./portable-sha256.js";

export interface KeyParts {
  readonly runId: string;
  /** Absent for a run-level event. */
  readonly stepId?: string | undefined;
  readonly logicalAttemptId: string;
  readonly eventType: string;
  readonly planVersion: string;
}

/** Computes the SHA-256 of `runId|stepId|logicalAttemptId|eventType|planVersion`, lower-case hex (K1). */
export function idempotencyKey(parts: KeyParts): string {
  const { runId, stepId = RUN_LEVEL, logicalAttemptId, eventType, planVersion } = parts;
  return sha256Hex(`${runId}|${stepId}|${logicalAttemptId}|${eventType}|${planVersion}`);
}

type Hash = (algorithm: string, text: string, encoding: "hex") => string;

/** Undefined in browsers and sandboxes. */
declare const process: undefined | { getBuiltinModule?: (name: string) => { hash?: Hash } | undefined };

/** The platform's hash takes a seventh of the time of the JavaScript one. Every event needs at least one hash. */
const native: Hash | undefined =
  typeof process === "undefined" ? undefined : process.getBuiltinModule?.("crypto")?.hash;

export function sha256Hex(text: string): string {
  return native?.("sha256", text, "hex") ?? portableSha256(text);
}
