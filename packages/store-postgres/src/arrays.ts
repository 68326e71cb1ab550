/** Array literals for unnest(). The driver's renderer passes every value through two regular expressions. */
export function textArray(values: readonly (string | null)[]): string {
  return `{${values.map((value) => (value === null ? "NULL" : quoted(value))).join(",")}}`;
}

function quoted(value: string): string {
  return `"${value.replace(/["\\]/g, "\\$&")}"`;
}

/**
 * The same for values without control characters and lone surrogates, as identifiers (K3) and JSON text are. JSON
 * escapes exactly what an array literal escapes, so one native call renders them all.
 */
export function plainTextArray(values: readonly (string | null)[]): string {
  return `{${JSON.stringify(values).slice(1, -1)}}`;
}

export function numberArray(values: readonly (number | null)[]): string {
  return `{${JSON.stringify(values).slice(1, -1)}}`;
}

/** Returns `null` if every value is `null`: unnest() pads a missing array with NULLs. */
export function unlessAllNull<T>(values: readonly (T | null)[], render: (values: readonly (T | null)[]) => string) {
  return values.every((value) => value === null) ? null : render(values);
}
