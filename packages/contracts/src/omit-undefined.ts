/** `T` without `undefined`: fields that could be undefined are optional. */
export type WithoutUndefined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/** Copies an object without its undefined fields, so that an absent option is absent and not `undefined`. */
export function omitUndefined<T extends object>(fields: T): WithoutUndefined<T> {
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) copy[name] = value;
  return copy as WithoutUndefined<T>;
}
