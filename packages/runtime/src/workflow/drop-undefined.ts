/** Levels that are searched. The check on write refuses deeper values, and values that refer to themselves. */
const MAX_DEPTH = 100;

/**
 * Removes properties that are `undefined`, as `JSON.stringify` does: `{ note: undefined }` is legal for `note?: string`. In
 * arrays, `undefined` becomes `null`. Returns the same value if there is nothing to remove.
 */
export function dropUndefined<T>(value: T, depth = 0): T {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return fromArray(value, depth) as T;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? fromObject(value, depth) : value;
}

function fromArray(values: readonly unknown[], depth: number): readonly unknown[] {
  let copy: unknown[] | null = null;
  for (let index = 0; index < values.length; index++) {
    const clean = values[index] === undefined ? null : dropUndefined(values[index], depth + 1);
    if (clean !== values[index]) (copy ??= [...values])[index] = clean;
  }
  return copy ?? values;
}

function fromObject<T extends object>(value: T, depth: number): T {
  const names = Object.keys(value) as (keyof T & string)[];
  let kept: (readonly [string, unknown])[] | null = null;
  for (const [index, name] of names.entries()) {
    const part = value[name];
    const clean = dropUndefined(part, depth + 1);
    if (kept === null && clean === part && part !== undefined) continue;
    kept ??= names.slice(0, index).map((before) => [before, value[before]] as const);
    if (part !== undefined) kept.push([name, clean]);
  }
  return kept === null ? value : (Object.fromEntries(kept) as T);
}
