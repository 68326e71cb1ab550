/** Faults in tenants, one per mutation. */
import type { StateStore, TenantStore } from "@runledger/contracts";
import { overlay, type Mutation } from "./mutant.js";

export const tenantMutations: Readonly<Record<string, () => Mutation>> = {
  "tenants see each other": () => ({
    store: (real) => ({ forTenant: (tenantId) => overlay<TenantStore>(Object.assign(real, { tenantId }), {}) }),
  }),
  "tenants see nothing": () => ({ store: (real) => ({ forTenant: () => real.forTenant("nobody") }) }),
  "a tenant's page is filtered afterwards": () => ({
    store: (real) => ({
      forTenant: (tenantId) => {
        const scoped = real.forTenant(tenantId);
        const listHeads: StateStore["listHeads"] = async (options) =>
          (await real.listHeads(options)).filter((head) => head.tenantId === tenantId);
        return overlay(scoped, { listHeads });
      },
    }),
  }),
};
