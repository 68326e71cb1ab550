/**
 * Identifiers.
 *  K3  1 to 255 characters, no `|` (it separates the parts of a key), no control characters, no lone surrogates.
 */
import { InputError } from "./errors/families.js";

export const MAX_IDENTIFIER_LENGTH = 255;
/** Nearly all identifiers are plain ASCII. This test is several times cheaper than the full one. */
const PLAIN = /^[ -{}~]{1,255}$/;
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f|]|\p{Surrogate}/u;

/** Stands for "no step" in a key. Therefore no step may have this id (K1). */
export const RUN_LEVEL = "RUN";

export const DEFAULT_TENANT = "default";

export function checkIdentifier(field: string, value: unknown): asserts value is string {
  if (typeof value === "string" && PLAIN.test(value)) return;
  if (typeof value !== "string")
    throw new InputError("IDENTIFIER_INVALID", field, `must be a string, not ${kind(value)}.`);
  if (value.length === 0) throw new InputError("IDENTIFIER_INVALID", field, "is empty. Use 1 to 255 characters.");
  if (value.length > MAX_IDENTIFIER_LENGTH) {
    throw new InputError(
      "IDENTIFIER_INVALID",
      field,
      `has ${value.length} characters. Use at most ${MAX_IDENTIFIER_LENGTH}.`,
    );
  }
  if (FORBIDDEN.test(value)) {
    throw new InputError(
      "IDENTIFIER_INVALID",
      field,
      "contains a `|`, a control character or a lone surrogate. Remove it.",
    );
  }
}

export function checkStepId(field: string, value: unknown): asserts value is string {
  checkIdentifier(field, value);
  if (value === RUN_LEVEL) {
    throw new InputError(
      "IDENTIFIER_INVALID",
      field,
      `is ${RUN_LEVEL}, which is reserved for the run itself. Rename the step.`,
    );
  }
}

/** Describes a value in a message without revealing it, because it may be a secret. */
export function kind(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value;
}
