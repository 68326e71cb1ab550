/** Parts that many schemas of the API share. A schema with an `id` becomes a named one in the OpenAPI document. */
import { z } from "zod";

/** K3, as far as a pattern can say it; the store checks the rest. */
export const identifier = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^\u0000-\u001f\u007f-\u009f|]+$/u, "must not hold control characters or `|`.");

export const instant = z.string().meta({ description: "ISO 8601, UTC", examples: ["2026-11-14T08:14:03.120Z"] });

export const seq = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** A whole number in a query string. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER) {
  const message = `must be a whole number from ${least} to ${most}.`;
  return z
    .string(message)
    .regex(/^\d{1,16}$/, message)
    .transform(Number)
    .pipe(z.int(message).min(least, message).max(most, message));
}

/** `true` or `false` in a query string. */
export const flag = z
  .enum(["true", "false"], "must be true or false.")
  .transform((text) => text === "true")
  .pipe(z.boolean());

/** A page of a list in keyset order. */
export function pageOf<T extends z.ZodType>(id: string, item: T) {
  return z.object({ items: z.array(item), next: nextCursor }).meta({ id });
}

const nextCursor = z
  .string()
  .nullable()
  .meta({ description: "What `after` has to be for the next page; null = this is the last one" });
