/** Who may call a route. What is denied, and what changes what others may do, goes on record. */
import type { FastifyRequest } from "fastify";
import { RetryError, StopError } from "@runledger/contracts";
import type { Api } from "../http/api.js";
import type { Route } from "../http/define-route.js";
import { auditEntry } from "./audit-trail.js";
import { mayAct, type Caller } from "./caller.js";

const callers = new WeakMap<FastifyRequest, Caller>();

/** Before anything of the body is read. */
export async function authorize(route: Route, api: Api, request: FastifyRequest): Promise<void> {
  if (route.role === null) return;
  const caller = await api.identify.caller(request);
  callers.set(request, caller);
  if (!mayAct(caller, route.role)) {
    const message = `${caller.name} is ${caller.role}; this takes ${route.role}. Ask an admin for a key with that role.`;
    throw new StopError("FORBIDDEN", message);
  }
  if (route.allTenants === true && !caller.allTenants) {
    const message = `${caller.name} acts for tenant ${caller.tenantId}; this concerns all. Use a key that is good for all tenants.`;
    throw new StopError("FORBIDDEN", message);
  }
  if (route.audited === true) await api.audit.write(auditEntry(request, { caller, action: route.operationId }));
}

/** Of a stream that is open: whether whoever opened it still may, as the same tenant. A store that is away decides nothing. */
export async function stillAllowed(route: Route, api: Api, request: FastifyRequest): Promise<boolean> {
  try {
    const caller = await api.identify.caller(request);
    return route.role === null || (mayAct(caller, route.role) && caller.tenantId === callerOf(request)?.tenantId);
  } catch (error) {
    return error instanceof RetryError;
  }
}

/** Undefined = the route is for anybody, or nobody was recognised. */
export function callerOf(request: FastifyRequest): Caller | undefined {
  return callers.get(request);
}
