import { z } from "zod";
import { ok, route } from "../http/define-route.js";
import { me, toMe } from "./get-me.js";

const sessionRequest = z
  .strictObject({
    token: z.string().min(1).max(8192).meta({ description: "An API key, a JWT, or the token of the data directory." }),
  })
  .meta({ id: "SessionRequest" });

export const openSession = route({
  method: "POST",
  path: "/session",
  operationId: "openSession",
  tag: "access",
  summary: "Log in",
  description:
    "Exchanges a credential for a session cookie. Scripts cannot read the cookie, and other sites cannot send it.",
  role: null,
  body: sessionRequest,
  responses: { 200: { description: "The logged-in caller", schema: me } },
  problems: ["UNAUTHENTICATED"],
  handle: async ({ body, headers, api, recordFor }) => {
    const { caller, grantTenant } = await api.authenticator.byCredential(body.token, { headers });
    await recordFor(caller);
    return ok(toMe(caller), { "set-cookie": await api.authenticator.sessions.open(caller, grantTenant) });
  },
});
