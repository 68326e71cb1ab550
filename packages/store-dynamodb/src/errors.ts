/** Maps errors of the SDK and the service to our errors. They never include values and addresses, which may be secrets (S1). */
import { OutcomeUnknownError, RetryError, RunledgerError, StopError } from "@runledger/contracts";
import { fromWire, type Item } from "./encoding.js";
import type { WireItem } from "./driver.js";

/** Describes one action of a cancelled transaction. */
export interface CancellationReason {
  /** `None` if this action was not the cause. */
  readonly code: string;
  /** The stored item whose condition failed. `null` if there is none. */
  readonly item: Item | null;
}

/** A transaction that wrote nothing because a condition failed. */
export class Cancelled extends Error {
  constructor(
    /** One entry per action. */
    readonly reasons: readonly CancellationReason[],
    /** `true` if an earlier attempt of the same transaction got no answer, so that it may have been applied. */
    readonly mayHaveApplied: boolean,
  ) {
    super("A condition of the transaction failed.");
  }

  failed(index: number): boolean {
    return this.reasons[index]?.code === CONDITION_FAILED;
  }

  /** The stored item of an action whose condition failed; `null` if there is none, or if the condition held. */
  itemAt(index: number): Item | null {
    return this.failed(index) ? this.reasons[index]!.item : null;
  }
}

interface SdkError {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: { readonly statusCode?: number };
  readonly CancellationReasons?: readonly { readonly Code?: string; readonly Item?: WireItem }[];
}

const CONDITION_FAILED = "ConditionalCheckFailed";

const BUSY = new Set([
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "ThrottlingException",
  "TransactionInProgressException",
  "TransactionConflictException",
  "LimitExceededException",
]);
const BUSY_REASONS = new Set(["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]);
const NOT_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);
const NOT_ALLOWED = new Set([
  "AccessDeniedException",
  "CredentialsProviderError",
  "ExpiredTokenException",
  "IncompleteSignatureException",
  "InvalidSignatureException",
  "MissingAuthenticationTokenException",
  "UnrecognizedClientException",
]);

/** How a request ended without a result. */
export type Failure = "busy" | "unsent" | "unanswered" | "cancelled" | "final";

export function failureOf(error: unknown): Failure {
  const known = error as SdkError;
  const name = known.name ?? "";
  if (name === "TransactionCanceledException") return cancellation(known);
  if (BUSY.has(name)) return "busy";
  if (NOT_SENT.has(known.code ?? "")) return "unsent";
  if (NOT_ALLOWED.has(name)) return "final";
  const status = known.$metadata?.httpStatusCode ?? known.$response?.statusCode;
  return status === undefined || status >= 500 || name === "TimeoutError" ? "unanswered" : "final";
}

/** A failed condition is a fact, even if another action was in conflict. */
function cancellation(error: SdkError): Failure {
  const codes = (error.CancellationReasons ?? []).map(({ Code = "None" }) => Code);
  if (codes.includes(CONDITION_FAILED)) return "cancelled";
  return codes.some((code) => BUSY_REASONS.has(code)) ? "busy" : "final";
}

export function cancelledBy(error: unknown, mayHaveApplied: boolean): Cancelled {
  const reasons = (error as SdkError).CancellationReasons ?? [];
  const each = reasons.map(({ Code = "None", Item }) => ({
    code: Code,
    item: Item === undefined ? null : fromWire(Item),
  }));
  return new Cancelled(each, mayHaveApplied);
}

/** `wasUnanswered` tells that an attempt to write got no answer, so that it may be stored (P7). */
export function toError(error: unknown, failure: Failure, wasUnanswered: boolean): RunledgerError {
  if (error instanceof RunledgerError) return error;
  const options = { cause: summary(error as SdkError) };
  if (wasUnanswered) return new OutcomeUnknownError(options);
  const reason = reasonOf(error as SdkError);
  if (failure === "busy") return new RetryError("STORE_BUSY", `DynamoDB is busy: ${reason}. Try again.`, options);
  if (failure === "final") return finalError(error as SdkError, options);
  const advice = "Check the region, the endpoint and the network, then try again.";
  return new RetryError("STORE_UNAVAILABLE", `DynamoDB cannot be reached: ${reason}. ${advice}`, options);
}

function finalError(error: SdkError, options: { readonly cause: unknown }): StopError {
  const name = error.name ?? "";
  if (NOT_ALLOWED.has(name)) {
    const message = `DynamoDB refused the credentials or their permissions: ${name}. Check the credentials and the policy.`;
    return new StopError("STORE_FAULT", message, options);
  }
  if (name === "ResourceNotFoundException")
    return new StopError("SCHEMA_BEHIND", "The table does not exist. Run runledger store migrate.", options);
  return new StopError("STORE_FAULT", `DynamoDB refused the request: ${reasonOf(error)}.`, options);
}

function reasonOf({ name = "Error", code, CancellationReasons = [] }: SdkError): string {
  const codes = CancellationReasons.map(({ Code = "None" }) => Code).filter((one) => one !== "None");
  return [name, ...(code === undefined ? [] : [code]), ...new Set(codes)].join(" ");
}

/** The SDK's error holds the request, and with it payloads. */
function summary(error: SdkError): { readonly name: string; readonly reason: string } {
  return { name: error.name ?? "Error", reason: reasonOf(error) };
}
