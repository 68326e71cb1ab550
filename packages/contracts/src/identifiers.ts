/**
 * Identifiers.
 *  K3  1 to 255 characters, no `|` (it separates the parts of a key), no control characters, no lone surrogates.
 */
import { InputError } from "./errors/families.js";

const MAX_LENGTH = 255;
/** Nearly all identifiers are plain ASCII; this test is several times cheaper than the full one. */
const PLAIN = /^[ -{}~]{1,255}$/;
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f|]|\p{Surrogate}/u;

/** The name that stands for "no step" in a key, and therefore names no step (K1). */
export const RUN_LEVEL = "RUN";

export const DEFAULT_TENANT = "default";

export function checkIdentifier(field: string, value: unknown): asserts value is string {
  if (typeof value === "string" && PLAIN.test(value)) return;
  if (typeof value !== "string") throw new InputError("IDENTIFIER_INVALID", field, `must be text, not ${kind(value)}.`);
  if (value.length === 0) throw new InputError("IDENTIFIER_INVALID", field, "is empty; give it 1 to 255 characters.");
  if (value.length > MAX_LENGTH) {
    throw new InputError("IDENTIFIER_INVALID", field, `has ${value.length} characters; at most ${MAX_LENGTH} fit.`);
  }
  if (FORBIDDEN.test(value)) {
    throw new InputError("IDENTIFIER_INVALID", field, "has a `|`, a control character or half a surrogate pair in it.");
  }
}

export function checkStepId(field: string, value: unknown): asserts value is string {
  checkIdentifier(field, value);
  if (value === RUN_LEVEL) {
    throw new InputError(
      "IDENTIFIER_INVALID",
      field,
      `is ${RUN_LEVEL}, which stands for the run itself; rename the step.`,
    );
  }
}

/** How a value is named in a message; never the value itself, it may be a secret. */
export function kind(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value;
}
