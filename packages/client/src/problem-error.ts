import { errorCodes, RunledgerError, type ErrorCode, type ErrorFamily } from "@runledger/contracts";
import type { Problem } from "./api-types.js";
import type { HttpResponse } from "./exchange.js";

/** The server refused the request, or the client could not reach it. `code` and `family` are those the server sent. */
export class ProblemError extends RunledgerError {
  override readonly family: ErrorFamily;

  constructor(
    /** The problem document that the server sent. */
    readonly problem: Problem,
    options?: { readonly cause?: unknown },
    /** How long to wait before the next attempt. `NaN` if the server did not send `Retry-After`. */
    readonly retryAfterMs = Number.NaN,
  ) {
    super(problem.code as ErrorCode, problem.detail, options); // a newer server may send codes that this client does not know
    this.family = problem.family;
  }

  /** The HTTP status. 0 if there was no response. */
  get status(): number {
    return this.problem.status;
  }

  get requestId(): string {
    return this.problem.requestId;
  }
}

/** Makes a problem for a response without one (a proxy's, for example) or for no response at all (status 0). */
export function problemFor(status: number, detail: string): Problem {
  const isTemporary = status === 0 || status === 429 || status >= 500;
  const code: ErrorCode = isTemporary ? "STORE_UNAVAILABLE" : "REQUEST_INVALID";
  const type = `/api/docs/errors/${code}`;
  return { type, title: "Not a Runledger response", status, detail, code, family: errorCodes[code], requestId: "" };
}

/** Makes an error from a response whose status is not 2xx. */
export function problemOf({ status, statusText, header, text }: HttpResponse): ProblemError {
  const isProblem = header("content-type")?.startsWith("application/problem+json") ?? false;
  const problem =
    (isProblem ? parseProblem(text) : null) ?? problemFor(status, `The server responded with ${status} ${statusText}`);
  return new ProblemError(problem, {}, Number(header("retry-after") ?? Number.NaN) * 1000);
}

function parseProblem(text: string): Problem | null {
  try {
    return JSON.parse(text) as Problem;
  } catch {
    return null;
  }
}
