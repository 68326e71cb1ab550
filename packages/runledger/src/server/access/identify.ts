/** From what a request shows to who makes it. */
import { ALL_TENANTS, InputError, type AccessSession, type FullStateStore } from "@runledger/contracts";
import type { FastifyRequest } from "fastify";
import { ApiKeys, KEY_PREFIX } from "./api-keys.js";
import { toCaller, type Caller } from "./caller.js";
import { JwtCheck, type JwtOptions } from "./jwt.js";
import { TOKEN_PREFIX, type TokenCheck } from "./local-token.js";
import { refuseForeignSession } from "./same-origin.js";
import { Sessions } from "./sessions.js";

export interface AccessOptions {
  /** The data directory's token. Good on loopback only. */
  readonly token?: TokenCheck;
  /** API keys are good. Default true. */
  readonly keys?: boolean;
  readonly jwt?: JwtOptions;
  /** Names under which the server may be called. Default: on loopback its own names, elsewhere any. */
  readonly allowedHosts?: readonly string[];
}

type Shown = Parameters<typeof toCaller>[0];

export class Identify {
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
    this.sessions = new Sessions(store.access, { secure: !loopback });
    this.#options = options;
    this.#jwt = options.jwt === undefined ? null : new JwtCheck(options.jwt);
  }

  /** Throws UNAUTHENTICATED, or FORBIDDEN for a tenant that is not the caller's. */
  async caller(request: FastifyRequest): Promise<Caller> {
    const tenant = headerOf(request, "runledger-tenant");
    const bearer = /^Bearer (\S+)$/i.exec(headerOf(request, "authorization") ?? "")?.[1];
    const shown = bearer === undefined ? await this.#bySession(request) : await this.#byBearer(bearer);
    if (shown === null) throw unauthenticated(bearer !== undefined);
    return toCaller(shown, tenant);
  }

  /** For whoever logs in with it. */
  async byCredential(text: string): Promise<{ readonly caller: Caller; readonly grantTenant: string }> {
    const shown = await this.#byBearer(text);
    if (shown === null) throw unauthenticated(true);
    return { caller: toCaller(shown, undefined), grantTenant: shown.tenantId };
  }

  async #byBearer(text: string): Promise<Shown | null> {
    if (text.startsWith(TOKEN_PREFIX))
      return (await this.#options.token?.matches(text)) === true ? this.#local() : null;
    if (text.startsWith(KEY_PREFIX))
      return this.#byKey(this.#options.keys === false ? null : await this.keys.check(text));
    return this.#jwt === null ? null : this.#jwt.check(text);
  }

  async #bySession(request: FastifyRequest): Promise<Shown | null> {
    const session = await this.sessions.find(request.headers.cookie);
    if (session === null) return null;
    refuseForeignSession(request);
    return this.#stillGood(session);
  }

  /** A session is no better than what it was made with. */
  async #stillGood(session: AccessSession): Promise<Shown | null> {
    const { credential } = session;
    if (credential.startsWith("key_")) return this.#byKey(await this.keys.valid(credential));
    if (!credential.startsWith("local:")) return session;
    return this.#options.token !== undefined && credential === (await this.#local()).credential ? session : null;
  }

  #byKey(key: Awaited<ReturnType<ApiKeys["check"]>>): Shown | null {
    return key === null ? null : { ...key, credential: key.keyId };
  }

  async #local(): Promise<Shown> {
    const credential = `local:${await this.#options.token!.fingerprint()}`;
    return { name: "local", tenantId: ALL_TENANTS, role: "admin", credential, expiresAt: null };
  }
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === "string" ? value : undefined;
}

function unauthenticated(wasShown: boolean): InputError {
  const what = wasShown
    ? "what was shown is not valid, or no longer; get a new one with runledger keys."
    : "is missing; send Authorization: Bearer with an API key, a JWT or the data directory's token.";
  return new InputError("UNAUTHENTICATED", "authorization", what);
}
