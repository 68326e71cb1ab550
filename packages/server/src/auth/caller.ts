/** The sender of a request and what it may do. */
import { accessRoles, ALL_TENANTS, DEFAULT_TENANT, StopError, type AccessRole, type Grant } from "@runledger/contracts";

/** An authenticated name with its grant. */
export interface Identity extends Grant {
  /** Identifies the credential without its secret. */
  readonly credential: string;
  /** `null` if the credential does not expire. */
  readonly expiresAt: string | null;
}

export interface Caller extends Identity {
  /** Tenant that the caller acts for; never `*`. */
  readonly tenantId: string;
  /** `true` if the caller may act for any tenant and see data about all of them. */
  readonly allTenants: boolean;
}

/** Caller of routes that need no authentication. */
export const ANONYMOUS: Caller = {
  name: "anonymous",
  tenantId: DEFAULT_TENANT,
  role: "viewer",
  allTenants: false,
  credential: "none",
  expiresAt: null,
};

/** `tenant` is the tenant that the request names. */
export function toCaller(identity: Identity, tenant: string | undefined): Caller {
  const allTenants = identity.tenantId === ALL_TENANTS;
  const tenantId = allTenants ? (tenant ?? DEFAULT_TENANT) : identity.tenantId;
  if (tenant === undefined || (tenant === tenantId && tenant !== ALL_TENANTS))
    return { ...identity, tenantId, allTenants };
  throw new StopError(
    "FORBIDDEN",
    `${identity.name} may not act for tenant ${tenant}. Remove the header Runledger-Tenant.`,
  );
}

export function hasRole(caller: Caller, role: AccessRole): boolean {
  return accessRoles.indexOf(caller.role) >= accessRoles.indexOf(role);
}

/** If payloads are encrypted, a viewer sees the structure of runs only. */
export function seesPayloads(caller: Caller): boolean {
  return hasRole(caller, "operator");
}
