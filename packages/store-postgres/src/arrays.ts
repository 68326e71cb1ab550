/** Array literals for unnest(). The driver's own renderer walks every value through two regular expressions. */
export function textArray(values: readonly (string | null)[]): string {
  return `{${values.map((value) => (value === null ? "NULL" : quoted(value))).join(",")}}`;
}

function quoted(value: string): string {
  return `"${value.replace(/["\\]/g, "\\$&")}"`;
}

/**
 * The same for what holds no control characters and no half surrogate pairs, as identifiers (K3) and JSON text do not:
 * what JSON then escapes is what an array literal escapes, and one native call renders them all.
 */
export function plainTextArray(values: readonly (string | null)[]): string {
  return `{${JSON.stringify(values).slice(1, -1)}}`;
}

export function numberArray(values: readonly (number | null)[]): string {
  return `{${JSON.stringify(values).slice(1, -1)}}`;
}

/** Null where every value is: unnest() pads a missing array with NULLs. */
export function unlessAllNull<T>(values: readonly (T | null)[], render: (values: readonly (T | null)[]) => string) {
  return values.every((value) => value === null) ? null : render(values);
}
