import { route } from "../http/define-route.js";

export const endSession = route({
  method: "DELETE",
  path: "/session",
  operationId: "endSession",
  tag: "access",
  summary: "Log out",
  description: "Deletes the session and its cookie.",
  role: null,
  responses: { 204: { description: "Logged out" } },
  problems: [],
  handle: async ({ headers, api, recordFor }) => {
    const session = await api.authenticator.sessions.find(headers.cookie);
    if (session !== null) await recordFor(session);
    return { status: 204, headers: { "set-cookie": await api.authenticator.sessions.end(headers.cookie) } };
  },
});
