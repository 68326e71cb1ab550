/** Decides whether a caller may call a route. Denied calls go to the audit log. */
import type { FastifyRequest } from "fastify";
import { RetryError, StopError } from "@runledger/contracts";
import { hasRole, seesPayloads, toCaller, type Caller, type Identity } from "../auth/caller.js";
import type { Api } from "./api.js";
import type { Route } from "./define-route.js";
import { recordDenial } from "./record-denial.js";
import { countFor } from "./request-quota.js";

const callers = new WeakMap<FastifyRequest, Caller>();
const identities = new WeakMap<FastifyRequest, Identity>();

/** Runs before the body is read. Throws UNAUTHENTICATED, RATE_LIMITED or FORBIDDEN. */
export async function authorize(route: Route, api: Api, request: FastifyRequest): Promise<void> {
  if (route.role === null) return;
  const caller = await recognize(api, request);
  countFor(caller, api.quotas, request);
  if (!hasRole(caller, route.role)) {
    await recordDenial(route, api, request, caller);
    throw new StopError(
      "FORBIDDEN",
      `This call requires the role ${route.role}; ${caller.name} has ${caller.role}. Ask an admin for a key with that role.`,
    );
  }
  if (route.allTenants === true && !caller.allTenants)
    throw new StopError(
      "FORBIDDEN",
      `This call affects all tenants; ${caller.name} may act only for ${caller.tenantId}. Use a key for all tenants.`,
    );
  route.checkCaller?.(caller, request.params as Readonly<Record<string, string>>);
}

/** Finds the caller and remembers it for the audit log, also if it is denied. Throws UNAUTHENTICATED or FORBIDDEN. */
export async function recognize(api: Api, request: FastifyRequest): Promise<Caller> {
  const identity = await api.authenticator.identify(request);
  identities.set(request, identity);
  const caller = toCaller(identity, api.authenticator.tenantOf(request));
  identities.set(request, caller);
  callers.set(request, caller);
  return caller;
}

/** Checks for an open stream whether its caller may still read it as the same tenant. An unavailable store denies nothing. */
export async function isStillAllowed(route: Route, api: Api, request: FastifyRequest): Promise<boolean> {
  try {
    const caller = await api.authenticator.caller(request);
    const before = callerOf(request);
    if (before !== undefined && seesPayloads(before) && !seesPayloads(caller)) return false;
    return route.role === null || (hasRole(caller, route.role) && caller.tenantId === before?.tenantId);
  } catch (error) {
    return error instanceof RetryError;
  }
}

/** `undefined` if authentication failed. A caller that may not act for a tenant is known here. */
export function identityOf(request: FastifyRequest): Identity | undefined {
  return identities.get(request);
}

/** `undefined` if the route needs no authentication, or if authentication failed. */
export function callerOf(request: FastifyRequest): Caller | undefined {
  return callers.get(request);
}
