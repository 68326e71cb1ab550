import { z } from "zod";
import { EVERY, retentionKinds, StopError, type RetentionTarget } from "@runledger/contracts";
import type { Caller } from "../auth/caller.js";

/** A hundred years. */
const MAX_MS = 36_500 * 24 * 3_600_000;

export const retentionTarget = {
  kind: z.enum(retentionKinds).meta({ description: "The data that the policy covers." }),
  tenantId: z
    .string()
    .min(1)
    .max(255)
    .meta({ description: "`*` applies to every tenant without its own policy. `feed` and `audit` have no other." }),
  workflowId: z
    .string()
    .min(1)
    .max(255)
    .meta({
      description:
        "`*` applies to every workflow without its own policy. Only `runs` have others. For `artifacts`, the kind of artifact: " +
        "`*` applies to every kind without its own policy.",
    }),
};

const age = z.int().min(0).max(MAX_MS).nullable();

export const retentionFields = {
  archiveAfterMs: age.meta({
    description:
      "Time after which a finished run moves to the archive. `null` if it stays in the log. Only for `runs`.",
  }),
  deleteAfterMs: age.meta({
    description:
      "Age at which the data is deleted. Runs count from their completion, artifacts from their creation. `null` if it is kept.",
  }),
};

export const retentionPolicy = z
  .object({ ...retentionTarget, ...retentionFields })
  .meta({ id: "RetentionPolicy", description: "How long data is kept." });

/** Policies for every tenant apply to the caller, too. Those of other tenants would reveal their names. */
export function isVisible({ allTenants, tenantId }: Caller, policy: RetentionTarget): boolean {
  return allTenants || policy.tenantId === EVERY || policy.tenantId === tenantId;
}

export function assertMayChange({ allTenants, tenantId }: Caller, target: RetentionTarget): void {
  if (allTenants || target.tenantId === tenantId) return;
  throw new StopError(
    "FORBIDDEN",
    `This policy affects more than tenant ${tenantId}. Use a key for all tenants, or set a policy of tenant ${tenantId}.`,
  );
}
