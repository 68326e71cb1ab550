/**
 * Array literals for unnest(). The driver's own renderer walks every value through two regular expressions; most of
 * ours need none.
 */
export function textArray(values: readonly (string | null)[]): string {
  let literal = "{";
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (i > 0) literal += ",";
    literal += value === null ? "NULL" : `"${escape(value)}"`;
  }
  return literal + "}";
}

/** Null where every value is: unnest() pads a missing array with NULLs. */
export function optionalTextArray(values: readonly (string | null)[]): string | null {
  return values.some((value) => value !== null) ? textArray(values) : null;
}

export function numberArray(values: readonly (number | null)[]): string {
  return `{${values.map((value) => value ?? "NULL").join(",")}}`;
}

function escape(value: string): string {
  return /["\\]/.test(value) ? value.replace(/["\\]/g, "\\$&") : value;
}
