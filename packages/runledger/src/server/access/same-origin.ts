/**
 * What protects a server that a browser on the same machine can reach. A page of another origin cannot call it, and a
 * name that was made to point here (rebinding) is not its name.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { InputError, StopError } from "@runledger/contracts";

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/** Undefined = called by any name: what it asks for is a credential, and cookies belong to one name. */
export function hostsFor(host: string, allowed: readonly string[] | undefined): ReadonlySet<string> | undefined {
  if (isLoopback(host)) return new Set([...LOOPBACK_NAMES, host, ...(allowed ?? [])]);
  return allowed === undefined ? undefined : new Set(allowed);
}

export function addOriginCheck(server: FastifyInstance, hosts: ReadonlySet<string> | undefined): void {
  server.addHook("onRequest", (request, _, done) => {
    if (!request.url.startsWith("/")) throw wrongTarget(); // it would name another host than the one that is judged
    const name = nameOf(request.headers.host);
    if (name === null || (hosts !== undefined && !hosts.has(name))) throw wrongHost();
    refuseForeignOrigin(request, hosts);
    done();
  });
}

/** Without its port, which is ours. */
function nameOf(host: string | undefined): string | null {
  const [, name] = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i.exec(host ?? "") ?? [];
  return name?.toLowerCase() ?? null;
}

function refuseForeignOrigin(request: FastifyRequest, hosts: ReadonlySet<string> | undefined): void {
  const { origin, host } = request.headers;
  const isCall = request.url.startsWith("/api/v1");
  if (isCall && request.headers["sec-fetch-site"] === "cross-site") throw wrongOrigin();
  if (origin === undefined) return;
  const from = URL.canParse(origin) ? new URL(origin).host : "";
  const isOurs =
    from === host || (hosts !== undefined && from !== "" && hosts.has(nameOf(from) ?? "") && isTls(origin));
  if (!isOurs) throw wrongOrigin();
}

/** Behind a proxy that ends TLS, the server's port is not the one in the address. */
function isTls(origin: string): boolean {
  return origin.startsWith("https://");
}

/** A cookie comes by itself: what changes something must also say that it comes from our own pages. */
export function refuseForeignSession(request: FastifyRequest): void {
  if (request.method === "GET" || request.method === "HEAD") return;
  if (request.headers.origin !== undefined || request.headers["sec-fetch-site"] === "same-origin") return; // judged before
  throw wrongOrigin();
}

function wrongTarget(): InputError {
  return new InputError("REQUEST_INVALID", "path", "must begin with /; this server is no proxy.");
}

function wrongHost(): InputError {
  return new InputError("HOST_REFUSED", "host", "is no name of this server; call it by 127.0.0.1, or allow the name.");
}

function wrongOrigin(): StopError {
  return new StopError("ORIGIN_REFUSED", "A page of another origin may not call this server.");
}
