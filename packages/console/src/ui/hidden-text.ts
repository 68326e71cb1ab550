import { dayAndTime } from "./format.js";

/** Explains why a payload is not shown. `null` if it is an ordinary value. */
export function hiddenText(value: unknown): string | null {
  if (typeof value !== "object" || value === null || Object.keys(value).length !== 1) return null;
  if ("$erased" in value) return erasedText(value.$erased);
  if ("$encrypted" in value) return "Encrypted. Your role does not show it, or its key is lost.";
  return null;
}

function erasedText(erased: unknown): string {
  const { at, by, reason } = (erased ?? {}) as { at?: string; by?: string; reason?: string };
  return at === undefined ? "Erased." : `Erased on ${dayAndTime(at)} by ${by}: ${reason}`;
}
