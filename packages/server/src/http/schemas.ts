/** Schemas that several features share. A schema with an `id` becomes a named schema of the OpenAPI document. */
import { z } from "zod";

/** The part of rule K3 that a pattern can express. The store checks the rest. */
export const identifier = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^\u0000-\u001f\u007f-\u009f|]+$/u, "must not contain control characters or `|`.");

export const instant = z
  .string()
  .meta({ description: "ISO 8601 timestamp in UTC.", examples: ["2026-11-14T08:14:03.120Z"] });

export const seqNumber = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** An integer in a query string. */
export function integerParam(min: number, max = Number.MAX_SAFE_INTEGER) {
  const message = `must be an integer from ${min} to ${max}.`;
  return z
    .string(message)
    .regex(/^\d{1,16}$/, message)
    .transform(Number)
    .pipe(z.int(message).min(min, message).max(max, message));
}

/** `true` or `false` in a query string. */
export const booleanParam = z
  .enum(["true", "false"], "must be true or false.")
  .transform((text) => text === "true")
  .pipe(z.boolean());

export function limitParam(max: number, defaultLimit: number) {
  return integerParam(1, max)
    .optional()
    .meta({ description: `Maximum number of items. Defaults to ${defaultLimit}.` });
}

/** Documents the cursor of a paginated route. */
export const afterParam = { description: "The `next` of the previous page." };

/** A page of a list in keyset order. */
export function pageOf<T extends z.ZodType>(id: string, item: T) {
  return z.object({ items: z.array(item), next: nextCursor }).meta({ id });
}

export const nextCursor = z
  .string()
  .nullable()
  .meta({ description: "Value of `after` for the next page. `null` on the last page." });
