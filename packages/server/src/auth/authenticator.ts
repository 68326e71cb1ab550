/** Finds out who sent a request: by API key, JWT, local token or session cookie. */
import { ALL_TENANTS, InputError, type AccessSession, type FullStateStore } from "@runledger/contracts";
import type { FastifyRequest } from "fastify";
import { ApiKeys, KEY_PREFIX } from "./api-keys.js";
import { toCaller, type Caller, type Identity } from "./caller.js";
import { JwtCheck, type JwtOptions } from "./jwt.js";
import { TOKEN_PREFIX, type TokenCheck } from "./local-token.js";
import { refuseForeignSession } from "./same-origin.js";
import { Sessions } from "./sessions.js";

export interface AccessOptions {
  /** Token of the data directory. Accepted only on loopback, and never through a proxy. */
  readonly token?: TokenCheck;
  /** `true` if the server accepts API keys. Defaults to `true`. */
  readonly keys?: boolean;
  readonly jwt?: JwtOptions;
  /** Host names that the server accepts. Defaults to its own names on loopback, and to any name elsewhere. */
  readonly allowedHosts?: readonly string[];
  /**
   * Addresses of proxies in front of the server, such as `127.0.0.1`. They terminate TLS: cookies are sent over TLS only, and
   * the address of a caller is the one that the proxy reports.
   */
  readonly trustProxy?: readonly string[];
  /**
   * `true` if a caller may approve a run that it has started itself. Defaults to `false`. The owner of the local token always may,
   * because such a server has one user.
   */
  readonly selfApproval?: boolean;
}

export class Authenticator {
  readonly keys: ApiKeys;
  readonly sessions: Sessions;
  readonly #options: AccessOptions;
  readonly #jwt: JwtCheck | null;

  constructor(
    store: FullStateStore,
    options: AccessOptions,
    { onError, loopback }: { readonly onError: (error: unknown) => void; readonly loopback: boolean },
  ) {
    this.keys = new ApiKeys(store.access, onError);
    this.sessions = new Sessions(store.access, { secure: !loopback || options.trustProxy !== undefined });
    this.#options = options;
    this.#jwt = options.jwt === undefined ? null : new JwtCheck(options.jwt);
  }

  /** Throws UNAUTHENTICATED, or FORBIDDEN if the caller may not act for the requested tenant. */
  async caller(request: FastifyRequest): Promise<Caller> {
    return toCaller(await this.identify(request), this.tenantOf(request));
  }

  /** `undefined` if the request names no tenant. */
  tenantOf(request: FastifyRequest): string | undefined {
    return headerOf(request, "runledger-tenant");
  }

  /** Throws UNAUTHENTICATED. */
  async identify(request: FastifyRequest): Promise<Identity> {
    const bearer = /^Bearer (\S+)$/i.exec(headerOf(request, "authorization") ?? "")?.[1];
    const identity = bearer === undefined ? await this.#bySession(request) : await this.#byBearer(bearer, request);
    if (identity === null) throw unauthenticated(bearer !== undefined);
    return identity;
  }

  /** Returns `true` if the caller may approve runs that it has started. */
  allowsSelfApproval({ credential }: Caller): boolean {
    return this.#options.selfApproval === true || credential.startsWith("local:");
  }

  /** Authenticates a login. Throws UNAUTHENTICATED. */
  async byCredential(
    text: string,
    request: ForwardedRequest,
  ): Promise<{ readonly caller: Caller; readonly grantTenant: string }> {
    const identity = await this.#byBearer(text, request);
    if (identity === null) throw unauthenticated(true);
    return { caller: toCaller(identity, undefined), grantTenant: identity.tenantId };
  }

  async #byBearer(text: string, request: ForwardedRequest): Promise<Identity | null> {
    if (text.startsWith(TOKEN_PREFIX)) return (await this.#isLocal(text, request)) ? this.#local() : null;
    if (text.startsWith(KEY_PREFIX))
      return this.#byKey(this.#options.keys === false ? null : await this.keys.check(text));
    return this.#jwt === null ? null : this.#jwt.check(text);
  }

  async #isLocal(text: string, request: ForwardedRequest): Promise<boolean> {
    return !isForwarded(request) && (await this.#options.token?.matches(text)) === true;
  }

  async #bySession(request: FastifyRequest): Promise<Identity | null> {
    const session = await this.sessions.find(request.headers.cookie);
    if (session === null) return null;
    refuseForeignSession(request);
    if (session.credential.startsWith("local:") && isForwarded(request)) return null;
    return this.#unlessRevoked(session);
  }

  /** A session is valid only as long as the credential that opened it. */
  async #unlessRevoked(session: AccessSession): Promise<Identity | null> {
    const { credential } = session;
    if (credential.startsWith("key_")) return this.#byKey(await this.keys.findValid(credential));
    if (!credential.startsWith("local:")) return session;
    return this.#options.token !== undefined && credential === (await this.#local()).credential ? session : null;
  }

  #byKey(key: Awaited<ReturnType<ApiKeys["check"]>>): Identity | null {
    return key === null ? null : { ...key, credential: key.keyId };
  }

  async #local(): Promise<Identity> {
    const credential = `local:${await this.#options.token!.fingerprint()}`;
    return { name: "local", tenantId: ALL_TENANTS, role: "admin", credential, expiresAt: null };
  }
}

type ForwardedRequest = Pick<FastifyRequest, "headers">;

/** Returns `true` if a proxy sent the request. Then the caller may be on another machine. */
function isForwarded({ headers }: ForwardedRequest): boolean {
  return ["forwarded", "x-forwarded-for", "x-real-ip", "via"].some((name) => headers[name] !== undefined);
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === "string" ? value : undefined;
}

function unauthenticated(hasCredential: boolean): InputError {
  const message = hasCredential
    ? "the credential is not valid, has expired or was revoked. Create a new key with runledger keys."
    : "is missing. Send Authorization: Bearer with an API key, a JWT or the token of the data directory.";
  return new InputError("UNAUTHENTICATED", "authorization", message);
}
