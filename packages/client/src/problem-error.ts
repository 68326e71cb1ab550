import { errorCodes, RunledgerError, type ErrorCode, type ErrorFamily } from "@runledger/contracts";
import type { Problem } from "./api-types.js";
import type { Answer } from "./exchange.js";

/** What the server refused, or that it could not be reached. `code` and `family` are the server's own. */
export class ProblemError extends RunledgerError {
  override readonly family: ErrorFamily;

  constructor(
    /** As the server sent it. */
    readonly problem: Problem,
    options?: { readonly cause?: unknown },
    /** When it should be asked again; NaN = the server does not say. */
    readonly retryAfterMs = Number.NaN,
  ) {
    super(problem.code as ErrorCode, problem.detail, options); // a newer server may have codes that are not known here
    this.family = problem.family;
  }

  /** Of the answer; 0 = there was none. */
  get status(): number {
    return this.problem.status;
  }

  get requestId(): string {
    return this.problem.requestId;
  }
}

/** A problem for an answer that has none: of a proxy, or of nobody. */
export function problemFor(status: number, detail: string): Problem {
  const isTemporary = status === 0 || status === 429 || status >= 500;
  const code: ErrorCode = isTemporary ? "STORE_UNAVAILABLE" : "REQUEST_INVALID";
  const type = `/api/docs/errors/${code}`;
  return { type, title: "No answer of Runledger", status, detail, code, family: errorCodes[code], requestId: "" };
}

/** Of an answer that is no success. */
export function problemOf({ status, statusText, header, text }: Answer): ProblemError {
  const isProblem = header("content-type")?.startsWith("application/problem+json") ?? false;
  const problem = (isProblem ? parsed(text) : null) ?? problemFor(status, `The answer was ${status} ${statusText}`);
  return new ProblemError(problem, {}, Number(header("retry-after") ?? Number.NaN) * 1000);
}

function parsed(text: string): Problem | null {
  try {
    return JSON.parse(text) as Problem;
  } catch {
    return null;
  }
}
