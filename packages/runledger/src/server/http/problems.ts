/** Errors as RFC 9457 problems. What a caller may know is in them, and nothing else. */
import {
  errorCodes,
  InputError,
  PlanError,
  QueueFullError,
  SeqMismatchError,
  type ErrorCode,
  type ErrorFamily,
  type RunledgerError,
} from "@runledger/contracts";
import type { Problem } from "../schemas/problem.js";

export const PROBLEM_TYPE = "application/problem+json";

const BY_FAMILY = { "fix-input": 400, retry: 503, stop: 409 } as const satisfies Record<ErrorFamily, number>;

/** Where the family does not say it all. */
const BY_CODE: { readonly [C in ErrorCode]?: number } = {
  RUN_NOT_FOUND: 404,
  STEP_NOT_FOUND: 404,
  ARTIFACT_NOT_FOUND: 404,
  WORKFLOW_NOT_FOUND: 404,
  ROUTE_NOT_FOUND: 404,
  KEY_NOT_FOUND: 404,
  SCHEDULE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  ORIGIN_REFUSED: 403,
  HOST_REFUSED: 421,
  PLAN_VERSION_TAKEN: 409,
  PAYLOAD_TOO_LARGE: 413,
  MEDIA_TYPE_UNSUPPORTED: 415,
  SIGNAL_LIMIT: 429,
  QUEUE_FULL: 429,
  SERVER_FAULT: 500,
  STORE_FAULT: 500,
  STORE_CLOSED: 503,
};

const TITLES = {
  "fix-input": "The request cannot be done as it is",
  retry: "It may work later",
  stop: "It was refused",
} as const satisfies Record<ErrorFamily, string>;

/** Seconds after which a retry makes sense; a signal's limit counts minutes. */
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
    ...(error instanceof QueueFullError ? { retryAfterSeconds: error.retryAfterMs / 1000 } : {}),
    ...(error instanceof PlanError ? { problems: error.problems.map((one) => ({ ...one })) } : {}),
  };
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
