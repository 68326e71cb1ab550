import { ok, route } from "../http/define-route.js";
import { me, sessionRequest } from "../schemas/access.js";
import type { Caller } from "../access/caller.js";

export const getMe = route({
  method: "GET",
  path: "/me",
  operationId: "getMe",
  tag: "access",
  summary: "Who the caller is, and what they may do",
  role: "viewer",
  answers: { 200: { description: "The caller", schema: me } },
  problems: [],
  handle: async ({ caller }) => ok(shown(caller)),
});

export const openSession = route({
  method: "POST",
  path: "/session",
  operationId: "openSession",
  tag: "access",
  summary: "Log a browser in",
  description: "Sets a cookie that no script can read and that no other site can make the browser send.",
  role: null,
  body: sessionRequest,
  answers: { 200: { description: "The caller, from now on", schema: me } },
  problems: ["UNAUTHENTICATED"],
  handle: async ({ body, api }) => {
    const { caller, grantTenant } = await api.identify.byCredential(body.token);
    return ok(shown(caller), { "set-cookie": await api.identify.sessions.open(caller, grantTenant) });
  },
});

export const endSession = route({
  method: "DELETE",
  path: "/session",
  operationId: "endSession",
  tag: "access",
  summary: "Log the browser out",
  role: null,
  answers: { 204: { description: "The session has ended" } },
  problems: [],
  handle: async ({ headers, api }) => {
    return { status: 204, headers: { "set-cookie": await api.identify.sessions.end(headers.cookie) } };
  },
});

function shown({ name, tenantId, role, allTenants }: Caller) {
  return { name, tenantId, role, allTenants };
}
