/**
 * Protects a server that a browser on the same machine can reach. Pages of other origins cannot call it. Requests that
 * use a foreign host name for its address (DNS rebinding) are refused.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { InputError, StopError } from "@runledger/contracts";

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/** `undefined` if any name is allowed: each call needs a credential, and a cookie is bound to one name. */
export function hostsFor(host: string, allowed: readonly string[] | undefined): ReadonlySet<string> | undefined {
  if (isLoopback(host)) return new Set([...LOOPBACK_NAMES, host, ...(allowed ?? [])]);
  return allowed === undefined ? undefined : new Set(allowed);
}

export function addOriginCheck(server: FastifyInstance, hosts: ReadonlySet<string> | undefined): void {
  server.addHook("onRequest", (request, _, done) => {
    if (!request.url.startsWith("/")) throw wrongTarget(); // an absolute URL could name another host than the one that is checked
    const name = nameOf(request.headers.host);
    if (name === null || (hosts !== undefined && !hosts.has(name))) throw wrongHost();
    refuseForeignOrigin(request, hosts);
    done();
  });
}

/** Returns the host name without its port. */
function nameOf(host: string | undefined): string | null {
  const [, name] = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i.exec(host ?? "") ?? [];
  return name?.toLowerCase() ?? null;
}

function refuseForeignOrigin(request: FastifyRequest, hosts: ReadonlySet<string> | undefined): void {
  const { origin, host } = request.headers;
  const isApiCall = request.url.startsWith("/api/v1");
  if (isApiCall && request.headers["sec-fetch-site"] === "cross-site") throw wrongOrigin();
  if (origin === undefined) return;
  const from = URL.canParse(origin) ? new URL(origin).host : "";
  const isOwn = from === host || (hosts !== undefined && from !== "" && hosts.has(from) && isTls(origin));
  if (!isOwn) throw wrongOrigin();
}

/**
 * Behind a proxy that terminates TLS, the origin's port differs from the server's port. It is 443, which URLs omit; another port
 * belongs to another server, unless `allowedHosts` contains it.
 */
function isTls(origin: string): boolean {
  return origin.startsWith("https://");
}

/** Browsers attach cookies to every request, so a change also needs proof that a page of this server sent it. */
export function refuseForeignSession(request: FastifyRequest): void {
  if (request.method === "GET" || request.method === "HEAD") return;
  if (request.headers.origin !== undefined || request.headers["sec-fetch-site"] === "same-origin") return; // checked by refuseForeignOrigin
  throw wrongOrigin();
}

function wrongTarget(): InputError {
  return new InputError("REQUEST_INVALID", "path", "must start with /. This server is not a proxy.");
}

function wrongHost(): InputError {
  return new InputError(
    "HOST_REFUSED",
    "host",
    "is not a name of this server. Use 127.0.0.1, or allow the name with --allowed-hosts.",
  );
}

function wrongOrigin(): StopError {
  return new StopError(
    "ORIGIN_REFUSED",
    "Pages of another origin may not call this server. Open the console from this server's own address.",
  );
}
