/** Logs a browser in through the URL that `serve` prints. The token moves from the URL into a session cookie. */
import { StopError } from "@runledger/contracts";
import { auditEntry } from "../auth/audit-entry.js";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Api } from "./api.js";

export function addLoginLink(server: FastifyInstance, api: Api): void {
  server.addHook("onRequest", async (request, reply) => {
    const token = tokenOf(request);
    if (token === null) return;
    if (!isOpenedByUser(request)) throw foreignLink();
    const { caller, grantTenant } = await api.authenticator.byCredential(token, request);
    const about = { identity: caller, tenantId: caller.tenantId, action: "openSession", outcome: "allowed" } as const;
    await api.audit.record(auditEntry(request, about));
    const cookie = await api.authenticator.sessions.open(caller, grantTenant);
    await reply.code(303).headers({ "set-cookie": cookie, location: "/", "cache-control": "no-store" }).send();
  });
}

/** A link on another site would log a person in into another account. A typed or pasted link has no such site. */
function isOpenedByUser({ headers }: FastifyRequest): boolean {
  const site = headers["sec-fetch-site"] ?? "none";
  return site === "none" || site === "same-origin";
}

function foreignLink(): StopError {
  return new StopError(
    "ORIGIN_REFUSED",
    "A page of another site opened this login link. Paste it into the address bar.",
  );
}

/** Browsers with a refused token are redirected here. The console explains the problem and shows the login form. */
export const REFUSED_LINK = "/#token-refused";

/** Returns true if a person opened the link in a browser and needs a page instead of JSON. */
export function isLoginLink(request: FastifyRequest): boolean {
  return tokenOf(request) !== null && (request.headers.accept ?? "").includes("text/html");
}

/** `null` if the request is not for a login link. */
function tokenOf({ query, method, url }: FastifyRequest): string | null {
  const { token } = query as { readonly token?: unknown };
  return typeof token === "string" && method === "GET" && url.startsWith("/?") ? token : null;
}
