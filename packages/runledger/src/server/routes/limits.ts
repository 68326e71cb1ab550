import { EVERY, StopError, type Limit, type LimitTarget } from "@runledger/contracts";
import type { Caller } from "../access/caller.js";
import { present } from "../../workflow/present.js";
import { ok, route } from "../http/define-route.js";
import { limit, limitList, limitQuery, limitRemoved, limitRequest } from "../schemas/queue.js";

export const listLimits = route({
  method: "GET",
  path: "/limits",
  operationId: "listLimits",
  tag: "queue",
  summary: "What limits the caller's runs",
  description: "Whoever may act for all tenants sees all limits.",
  role: "viewer",
  answers: { 200: { description: "The limits, by scope and subject", schema: limitList } },
  problems: [],
  handle: async ({ caller, api }) => {
    const limits = await api.ledger.limits.list();
    return ok({ items: limits.filter((each) => concerns(caller, each)) });
  },
});

export const setLimit = route({
  method: "PUT",
  path: "/limits",
  operationId: "setLimit",
  tag: "queue",
  summary: "Set all of a limit, in place of what was there",
  description:
    "It holds from the moment of the answer, for runs that are queued already too. A tenant's admin sets those of its " +
    "projects and concurrency keys; all others take a key that is good for all tenants.",
  role: "admin",
  audited: true,
  body: limitRequest,
  answers: { 200: { description: "The limit as it is now", schema: limit } },
  problems: ["OPTION_INVALID"],
  handle: async ({ body, caller, api }) => {
    assertMayChange(caller, body);
    const nothing = { maxRunning: null, rate: null, maxQueued: null, priority: null };
    const whole: Limit = { ...nothing, ...present(body), scope: body.scope, subject: body.subject };
    await api.ledger.limits.set(whole);
    return ok(whole);
  },
});

export const removeLimit = route({
  method: "DELETE",
  path: "/limits",
  operationId: "removeLimit",
  tag: "queue",
  summary: "Take a limit away",
  role: "admin",
  audited: true,
  query: limitQuery,
  answers: { 200: { description: "It is gone", schema: limitRemoved } },
  problems: ["OPTION_INVALID"],
  handle: async ({ query: { scope, subject = "" }, caller, api }) => {
    assertMayChange(caller, { scope, subject });
    return ok({ removed: await api.ledger.limits.remove({ scope, subject }) });
  },
});

/** Names of other tenants, and of what they have, are none of the caller's business. */
function concerns(caller: Caller, { scope, subject }: LimitTarget): boolean {
  if (caller.allTenants || subject === EVERY || scope === "overall" || scope === "workflow") return true;
  return scope === "tenant" ? subject === caller.tenantId : isWithin(caller, subject);
}

function isWithin({ tenantId }: Caller, subject: string): boolean {
  return subject.startsWith(`${tenantId}|`);
}

function assertMayChange(caller: Caller, { scope, subject }: LimitTarget): void {
  const isOwn = (scope === "project" || scope === "concurrencyKey") && isWithin(caller, subject);
  if (caller.allTenants || isOwn) return;
  throw new StopError(
    "FORBIDDEN",
    `This limit is not only about tenant ${caller.tenantId}; it takes a key that is good for all tenants. ` +
      `Limits of projects and concurrency keys are named ${caller.tenantId}|<id>.`,
  );
}
