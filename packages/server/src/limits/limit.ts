import { z } from "zod";
import { EVERY, limitScopes, type LimitTarget, StopError } from "@runledger/contracts";
import type { Caller } from "../auth/caller.js";

export const limitTarget = {
  scope: z.enum(limitScopes).meta({ description: "Kind of subject that the limit applies to." }),
  subject: z
    .string()
    .max(511)
    .meta({
      description:
        "Empty for `overall`; an id for `tenant` and `workflow`; `<tenant>|<id>` for `project` and `concurrencyKey`. `*` " +
        "applies to every subject without its own limit.",
    }),
};

const count = z.int().min(0).max(1_000_000_000).nullable();

export const limitFields = {
  maxRunning: count.meta({ description: "Maximum number of runs that run at the same time. `null` if unlimited." }),
  rate: z
    .strictObject({
      starts: z.int().min(1).max(1_000_000),
      perMs: z
        .int()
        .min(1)
        .max(31 * 24 * 3_600_000),
    })
    .nullable()
    .meta({ description: "Maximum number of starts in any period of `perMs` milliseconds. `null` if unlimited." }),
  maxQueued: count.meta({
    description: "Maximum number of queued runs. The server refuses further starts. `null` if unlimited.",
  }),
  priority: z.int().min(-1000).max(1000).nullable().meta({
    description:
      "For a tenant: tenants with a higher priority are served first. For a project or workflow: added to the priority of its runs.",
  }),
};

export const limit = z
  .object({ ...limitTarget, ...limitFields })
  .meta({ id: "Limit", description: "A limit on runs." });

/** Hides limits that would reveal names of other tenants or of their projects and keys. */
export function isVisible(caller: Caller, { scope, subject }: LimitTarget): boolean {
  if (caller.allTenants || subject === EVERY || scope === "overall" || scope === "workflow") return true;
  return scope === "tenant" ? subject === caller.tenantId : isOfTenant(caller, subject);
}

function isOfTenant({ tenantId }: Caller, subject: string): boolean {
  return subject.startsWith(`${tenantId}|`);
}

export function assertMayChange(caller: Caller, { scope, subject }: LimitTarget): void {
  const isOwn = (scope === "project" || scope === "concurrencyKey") && isOfTenant(caller, subject);
  if (caller.allTenants || isOwn) return;
  throw new StopError(
    "FORBIDDEN",
    `This limit affects more than tenant ${caller.tenantId}. Use a key for all tenants, or set a limit of scope project ` +
      `or concurrencyKey with the subject ${caller.tenantId}|<id>.`,
  );
}
