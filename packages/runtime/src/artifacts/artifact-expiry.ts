/** When artifacts expire: their creation and the time that a policy keeps their kind (A8). */
import {
  policyFor,
  sha256Hex,
  type RetentionGroup,
  type RetentionPolicy,
  type RetentionStore,
  type StoredArtifact,
} from "@runledger/contracts";

/** Adds `expiresAt` to artifacts of a tenant. Without policies, or without retention, nothing expires. */
export async function withExpiry<A extends Pick<StoredArtifact, "kind" | "createdAt">>(
  retention: Pick<RetentionStore, "listPolicies"> | undefined,
  tenantId: string,
  artifacts: readonly A[],
): Promise<(A & { readonly expiresAt?: string })[]> {
  const policies = artifacts.length === 0 ? [] : ((await retention?.listPolicies()) ?? []);
  return artifacts.map((artifact) => {
    const at = expiryOf(policies, tenantId, artifact);
    return at === null ? artifact : { ...artifact, expiresAt: new Date(at).toISOString() };
  });
}

/** Milliseconds since 1970, or `null` if the artifact is kept as long as its run. */
export function expiryOf(
  policies: readonly RetentionPolicy[],
  tenantId: string,
  { kind, createdAt }: Pick<StoredArtifact, "kind" | "createdAt">,
): number | null {
  const keepMs = policyFor(policies, "artifacts", groupOf(tenantId, kind))?.deleteAfterMs ?? null;
  return keepMs === null ? null : Date.parse(createdAt) + keepMs;
}

/** Identifies the policies that apply to a tenant. `null` if none deletes anything. */
export function rulesFor(policies: readonly RetentionPolicy[], tenantId: string): string | null {
  const own = policies.filter((policy) => policy.kind === "artifacts" && ["*", tenantId].includes(policy.tenantId));
  if (own.every(({ deleteAfterMs }) => deleteAfterMs === null)) return null;
  return sha256Hex(JSON.stringify(own.map((policy) => [policy.tenantId, policy.workflowId, policy.deleteAfterMs])));
}

/** A policy on artifacts has their kind in the place of a workflow. */
const groupOf = (tenantId: string, kind: string): RetentionGroup => ({ tenantId, workflowId: kind });
