/** The keys that make a start idempotent (Q1). */
import { checkIdentifier, ERASED_HASH, sha256Hex, type ForkOrigin, type Json } from "@runledger/contracts";
import { canonicalJson } from "@runledger/core";

/** A start request, as its keys identify it. */
export interface StartRequestRef {
  readonly tenantId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly planId: string;
  readonly planVersion: string;
  readonly requestId: string;
}

/** Refuses parts that would make the keys of different requests equal (K3). */
export function checkStartRequest({ tenantId, projectId, environmentId, requestId }: StartRequestRef): void {
  for (const [field, value] of Object.entries({ tenantId, projectId, environmentId, requestId }))
    checkIdentifier(field, value);
}

/** SHA-256 of `tenantId|projectId|environmentId|planId|planVersion|requestId`. */
export function startKeyOf(request: StartRequestRef): string {
  const { tenantId, projectId, environmentId, planId, planVersion, requestId } = request;
  return sha256Hex([tenantId, projectId, environmentId, planId, planVersion, requestId].join("|"));
}

/** The key of a request that starts one run across all versions: the version is not part of it. */
export function dedupeKeyOf({ tenantId, projectId, environmentId, planId, requestId }: StartRequestRef): string {
  return sha256Hex(["workflow", tenantId, projectId, environmentId, planId, requestId].join("|"));
}

/** The data that a repeated request must repeat. The seq of a fork's origin is not part of it: the origin may grow. */
export function repeatedData(input: Json | undefined, origin: ForkOrigin | undefined): unknown {
  if (origin === undefined) return input ?? null;
  const { runId, from } = origin;
  return { input: input ?? null, fork: { runId, from } };
}

/** The key of an event that starts one run. The workflow is not part of it, so a changed trigger starts no second run. */
export function triggerKeyOf(
  tenantId: string,
  { triggerId, key }: { readonly triggerId: string; readonly key: string },
) {
  return sha256Hex(["trigger", tenantId, triggerId, key].join("|")); // only the last part may contain a `|`
}

/** Hash of the data that a repeated request must repeat. The order of keys does not matter. */
export function inputHashOf(data: unknown): string {
  return sha256Hex(canonicalJson(data));
}

/**
 * `true` if a stored hash is of the same data. Earlier versions hashed the keys in the order of the call. The input of an erased
 * run is unknown, so that every repetition of its request finds it (A6).
 */
export function isSameInput(stored: string, data: unknown): boolean {
  return [inputHashOf(data), sha256Hex(JSON.stringify(data)), ERASED_HASH].includes(stored);
}
