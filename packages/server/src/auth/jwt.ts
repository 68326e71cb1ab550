/** Verifies JWTs: signed by the trusted issuer, meant for this server, and not expired. */
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify, type JWTVerifyGetKey } from "jose";
import type { Identity } from "./caller.js";
import { isReservedName } from "./reserved-names.js";
import { accessRoles, ALL_TENANTS, cappedInstant, InputError, RetryError } from "@runledger/contracts";

export interface JwtOptions {
  /** Issuer that signs the tokens, as in their claim `iss`. */
  readonly issuer: string;
  /** Audience that the tokens must name in `aud`. */
  readonly audience: string;
  /** URL of the issuer's keys. Defaults to the one in its OpenID configuration. */
  readonly jwksUrl?: string;
  /** Claim with the role or a list of roles. Dots select nested claims. Defaults to `runledger_role`. */
  readonly roleClaim?: string;
  /** Claim with the tenant. Defaults to `runledger_tenant`. */
  readonly tenantClaim?: string;
  /** Tenant of tokens that name none. If absent, such tokens are refused. */
  readonly defaultTenant?: string;
  /** `true` if a token with the tenant `*` may act for all tenants. Defaults to `false`: such tokens are refused. */
  readonly allTenants?: boolean;
  /** Accepted difference between clocks. Defaults to 30 seconds. */
  readonly clockToleranceSeconds?: number;
  /** Minimum time between two requests for the issuer's keys. Defaults to 30 seconds. */
  readonly cooldownMs?: number;
}

/** Asymmetric algorithms only: the server can verify these signatures but not create them. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/** Errors of the issuer, not of the token. */
const ISSUER_ERRORS = new Set(["ERR_JOSE_GENERIC", "ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID"]);

/** Types of tokens that identify a caller. Others, such as `logout+jwt`, have another purpose. */
const TYPES = new Set(["jwt", "at+jwt", "application/at+jwt", "application/jwt"]);

export class JwtCheck {
  readonly #options: JwtOptions;
  #keys: JWTVerifyGetKey | null = null;

  constructor(options: JwtOptions) {
    this.#options = options;
  }

  /** `null` if the token is not valid for this server. Throws ISSUER_UNAVAILABLE. */
  async check(token: string): Promise<Identity | null> {
    const { issuer, audience, clockToleranceSeconds: clockTolerance = 30 } = this.#options;
    try {
      const requirements = { issuer, audience, clockTolerance, algorithms: ALGORITHMS, requiredClaims: ["exp", "sub"] };
      const { payload, protectedHeader } = await jwtVerify(token, await this.#keySet(), requirements);
      return TYPES.has((protectedHeader.typ ?? "jwt").toLowerCase()) ? this.#identity(payload) : null;
    } catch (error) {
      if (error instanceof errors.JOSEError && !ISSUER_ERRORS.has(error.code)) return null;
      const message = "The JWT issuer did not return its keys. Try again later.";
      throw error instanceof InputError ? error : new RetryError("ISSUER_UNAVAILABLE", message, { cause: error });
    }
  }

  #identity(payload: JWTPayload): Identity | null {
    const { roleClaim = "runledger_role", tenantClaim = "runledger_tenant", defaultTenant } = this.#options;
    const roles = [claim(payload, roleClaim)].flat();
    const role = accessRoles.findLast((one) => roles.includes(one));
    const tenantId = claim(payload, tenantClaim) ?? defaultTenant;
    if (role === undefined || typeof tenantId !== "string" || tenantId === "") return null;
    if (tenantId === ALL_TENANTS && this.#options.allTenants !== true) return null;
    const { sub = "", exp = 0 } = payload;
    return { name: nameOf(payload), tenantId, role, credential: `jwt:${sub}`, expiresAt: cappedInstant(exp * 1000) };
  }

  /** Caches the issuer's keys. jose fetches them again when a token is signed with an unknown key. */
  async #keySet(): Promise<JWTVerifyGetKey> {
    const { jwksUrl, cooldownMs = 30_000 } = this.#options;
    this.#keys ??= createRemoteJWKSet(new URL(jwksUrl ?? (await discover(this.#options.issuer))), {
      cooldownDuration: cooldownMs,
      timeoutDuration: 5000,
    });
    return this.#keys;
  }
}

/** The email is the name only if the issuer has verified it. Otherwise a user could choose the name of another. */
function nameOf({ sub = "", email, email_verified: isVerified }: JWTPayload): string {
  const name = typeof email === "string" && isVerified === true ? email : sub;
  return isReservedName(name) ? `jwt:${name}` : name;
}

async function discover(issuer: string): Promise<string> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const response = await fetch(url, { signal: AbortSignal.timeout(5000), redirect: "error" });
  const { jwks_uri: uri } = (await response.json()) as { jwks_uri?: unknown };
  if (response.ok && typeof uri === "string") return uri;
  throw new InputError("CONFIG_INVALID", "jwt.issuer", `${url} does not contain a jwks_uri. Set jwksUrl.`);
}

function claim(payload: JWTPayload, path: string): unknown {
  const exact = payload[path];
  if (exact !== undefined) return exact;
  return path
    .split(".")
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], payload);
}
