/** Errors as RFC 9457 problems. They contain only what a caller may know. */
import { z } from "zod";
import {
  type ErrorCode,
  errorCodes,
  type ErrorFamily,
  InputError,
  PlanError,
  QueueFullError,
  RateLimitError,
  type RunledgerError,
  SeqMismatchError,
} from "@runledger/contracts";

export const PROBLEM_TYPE = "application/problem+json";

const BY_FAMILY = { "fix-input": 400, retry: 503, stop: 409 } as const satisfies Record<ErrorFamily, number>;

/** Codes whose status differs from that of their family. */
const BY_CODE: { readonly [C in ErrorCode]?: number } = {
  RUN_NOT_FOUND: 404,
  STEP_NOT_FOUND: 404,
  ARTIFACT_NOT_FOUND: 404,
  WORKFLOW_NOT_FOUND: 404,
  ROUTE_NOT_FOUND: 404,
  KEY_NOT_FOUND: 404,
  SCHEDULE_NOT_FOUND: 404,
  SUBSCRIPTION_NOT_FOUND: 404,
  DEAD_LETTER_NOT_FOUND: 404,
  DATASET_NOT_FOUND: 404,
  TRIGGER_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  ORIGIN_REFUSED: 403,
  HOST_REFUSED: 421,
  PLAN_VERSION_TAKEN: 409,
  PAYLOAD_TOO_LARGE: 413,
  APPEND_TOO_LARGE: 413,
  ARTIFACT_EXPIRED: 410,
  MEDIA_TYPE_UNSUPPORTED: 415,
  SIGNAL_LIMIT: 429,
  QUEUE_FULL: 429,
  RATE_LIMITED: 429,
  SERVER_FAULT: 500,
  STORE_FAULT: 500,
  STORE_CLOSED: 503,
};

const TITLES = {
  "fix-input": "Invalid request",
  retry: "Temporarily unavailable",
  stop: "Request refused",
} as const satisfies Record<ErrorFamily, string>;

/** Seconds to wait before a retry. The signal limit counts signals per minute. */
const RETRY_AFTER: { readonly [C in ErrorCode]?: number } = { SIGNAL_LIMIT: 10 };

export function statusOf(code: ErrorCode): number {
  return BY_CODE[code] ?? BY_FAMILY[errorCodes[code]];
}

export function toProblem(error: RunledgerError, requestId: string): Problem {
  const { code, family, message } = error;
  return {
    type: `/api/docs/errors/${code}`,
    title: TITLES[family],
    status: statusOf(code),
    detail: message,
    code,
    family,
    requestId,
    ...(error instanceof InputError ? { field: error.field } : {}),
    ...(error instanceof SeqMismatchError ? { headSeq: error.headSeq } : {}),
    ...retryFields(error),
    ...(error instanceof PlanError ? { problems: error.problems.map((one) => ({ ...one })) } : {}),
  };
}

function retryFields(error: RunledgerError): { readonly retryAfterSeconds?: number } {
  const isTimed = error instanceof QueueFullError || error instanceof RateLimitError;
  return isTimed ? { retryAfterSeconds: error.retryAfterMs / 1000 } : {};
}

export function problemHeaders(problem: Problem): Record<string, string> {
  const retryAfter = problem.retryAfterSeconds ?? RETRY_AFTER[problem.code as ErrorCode] ?? 1;
  return {
    "content-type": PROBLEM_TYPE,
    "cache-control": "no-store",
    ...(problem.status === 401 ? { "www-authenticate": "Bearer" } : {}),
    ...(problem.family === "retry" ? { "retry-after": String(retryAfter) } : {}),
  };
}

/** An RFC 9457 problem with a Runledger error code. */
export const problem = z
  .object({
    type: z.string().meta({ description: "Path of the page that explains the error code." }),
    title: z.string().meta({ description: "Short summary of the error family." }),
    status: z.int().meta({ description: "HTTP status." }),
    detail: z.string().meta({ description: "Explains the error and what to do about it." }),
    code: z.string().meta({ description: "Stable error code for programs.", examples: ["RUN_NOT_FOUND"] }),
    family: z
      .enum(["retry", "fix-input", "stop"])
      .meta({ description: "Tells the caller to retry the request, to change it, or to stop." }),
    requestId: z.string().meta({ description: "Id of the request in the server's log." }),
    field: z.string().optional().meta({ description: "Part of the request that is invalid." }),
    problems: z
      .array(z.object({ code: z.string(), step: z.string(), message: z.string(), origin: z.string().optional() }))
      .optional()
      .meta({ description: "All errors found in a workflow." }),
    retryAfterSeconds: z
      .number()
      .optional()
      .meta({ description: "Seconds to wait before a retry, as in `Retry-After`." }),
    headSeq: z.int().optional().meta({ description: "The run's current seq, if the request expected another one." }),
  })
  .meta({ id: "Problem", description: "An error (RFC 9457)." });
export type Problem = z.infer<typeof problem>;
