/** Who makes a request, and what they may do. */
import { accessRoles, ALL_TENANTS, DEFAULT_TENANT, StopError, type AccessRole, type Grant } from "@runledger/contracts";

export interface Caller extends Grant {
  /** The tenant they act for; never `*`. */
  readonly tenantId: string;
  /** May act for any tenant, and see what concerns all of them. */
  readonly allTenants: boolean;
  /** What they have shown, without its secret. */
  readonly credential: string;
  /** When that ends; null = not by itself. */
  readonly expiresAt: string | null;
}

/** Calls what is for anybody. */
export const nobody: Caller = {
  name: "nobody",
  tenantId: DEFAULT_TENANT,
  role: "viewer",
  allTenants: false,
  credential: "none",
  expiresAt: null,
};

interface Shown extends Grant {
  readonly credential: string;
  readonly expiresAt: string | null;
}

/** `tenant`: for which one the caller says to act. */
export function toCaller(shown: Shown, tenant: string | undefined): Caller {
  const allTenants = shown.tenantId === ALL_TENANTS;
  const tenantId = allTenants ? (tenant ?? DEFAULT_TENANT) : shown.tenantId;
  if (tenant === undefined || (tenant === tenantId && tenant !== ALL_TENANTS))
    return { ...shown, tenantId, allTenants };
  throw new StopError(
    "FORBIDDEN",
    `${shown.name} may not act for tenant ${tenant}. Leave out the header Runledger-Tenant.`,
  );
}

export function mayAct(caller: Caller, role: AccessRole): boolean {
  return accessRoles.indexOf(caller.role) >= accessRoles.indexOf(role);
}
