import { InputError } from "@runledger/contracts";
import type { z } from "zod";

/** Deeper than anything that the store accepts. */
const MAX_DEPTH = 128;

/** Parses one part of a request. The error names the first invalid field: `query.limit`, `body.labels.team`. */
export function parsePart(part: "path" | "query" | "body", schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) return refuseUnexpected(part, value);
  if (part === "body" && isDeeper(value, MAX_DEPTH))
    throw new InputError("REQUEST_INVALID", "body", `must not be nested more than ${MAX_DEPTH} levels deep.`);
  const result = schema.safeParse(value ?? (part === "body" ? undefined : {}));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const field = [part, ...(issue?.path ?? []), ...unknown].map(String).join(".");
  throw new InputError("REQUEST_INVALID", field, messageOf(issue, part));
}

/** Works level by level, because recursion would overflow the stack on the input that it guards against. */
function isDeeper(value: unknown, maxDepth: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? (Object.values(one) as unknown[]) : []));
  }
  return false;
}

function messageOf(issue: z.core.$ZodIssue | undefined, part: string): string {
  if (issue?.code === "invalid_key") return issue.issues[0]?.message ?? "is not a valid name.";
  if (issue?.code === "unrecognized_keys") return "is not supported here. Remove it.";
  if (issue?.path.length === 0 && part === "body") return `must match the schema in /api/docs: ${issue.message}.`;
  return issue?.message ?? "is invalid";
}

/** Refuses unknown parameters, so that a typo is not ignored. */
function refuseUnexpected(part: string, value: unknown): undefined {
  const [name] = typeof value === "object" && value !== null ? Object.keys(value) : [];
  if (name !== undefined && part !== "body")
    throw new InputError("REQUEST_INVALID", `${part}.${name}`, "is not supported here. Remove it.");
  return undefined;
}
