import { InputError } from "@runledger/contracts";
import type { z } from "zod";

/** More than what is stored may have. */
const MOST_LEVELS = 128;

/** The part as the schema gives it. Names the first fault by its place: `query.limit`, `body.labels.team`. */
export function readPart(part: "path" | "query" | "body", schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) return refuseUnexpected(part, value);
  if (part === "body" && isDeeper(value, MOST_LEVELS))
    throw new InputError("REQUEST_INVALID", "body", `must not be nested more than ${MOST_LEVELS} levels deep.`);
  const result = schema.safeParse(value ?? (part === "body" ? undefined : {}));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const field = [part, ...(issue?.path ?? []), ...unknown].map(String).join(".");
  throw new InputError("REQUEST_INVALID", field, messageOf(issue, part));
}

/** Level by level: what would overflow others must not overflow this. */
function isDeeper(value: unknown, most: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true;
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? (Object.values(one) as unknown[]) : []));
  }
  return false;
}

function messageOf(issue: z.core.$ZodIssue | undefined, part: string): string {
  if (issue?.code === "invalid_key") return issue.issues[0]?.message ?? "is no name that can be used here.";
  if (issue?.code === "unrecognized_keys") return `is not known here; leave it out.`;
  if (issue?.path.length === 0 && part === "body") return `must be JSON as /api/docs describes it: ${issue.message}.`;
  return issue?.message ?? "is invalid";
}

/** A route without parameters takes none: a mistyped one must not be passed over. */
function refuseUnexpected(part: string, value: unknown): undefined {
  const [name] = typeof value === "object" && value !== null ? Object.keys(value) : [];
  if (name !== undefined && part !== "body")
    throw new InputError("REQUEST_INVALID", `${part}.${name}`, "is not known here; leave it out.");
  return undefined;
}
