/** OIDC and other JWTs: signed by an issuer that is trusted, for this server, and not expired. */
import { accessRoles, InputError, RetryError, type AccessRole } from "@runledger/contracts";
import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from "jose";

export interface JwtOptions {
  readonly issuer: string;
  /** What the token must be meant for. */
  readonly audience: string;
  /** Where the issuer's keys are. Default: where its OpenID configuration says. */
  readonly jwksUrl?: string;
  /** The claim that holds a role, or a list with roles in it; dots go deeper. Default `runledger_role`. */
  readonly roleClaim?: string;
  /** The claim that holds the tenant. Default `runledger_tenant`. */
  readonly tenantClaim?: string;
  /** Of tokens that name none; absent = they are refused. */
  readonly defaultTenant?: string;
  /** How far clocks may be apart. Default 30 s. */
  readonly clockToleranceSeconds?: number;
  /** How long the issuer is not asked again for keys that it did not have. Default 30 s. */
  readonly cooldownMs?: number;
}

export interface JwtGrant {
  readonly name: string;
  readonly tenantId: string;
  readonly role: AccessRole;
  readonly credential: string;
  readonly expiresAt: string | null;
}

/** Signatures that can be checked without knowing how to make them. */
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

/** What is no fault of the token. */
const OF_THE_ISSUER = new Set(["ERR_JOSE_GENERIC", "ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID"]);

export class JwtCheck {
  readonly #options: JwtOptions;
  #keys: JWTVerifyGetKey | null = null;

  constructor(options: JwtOptions) {
    this.#options = options;
  }

  /** Null = it is no token for this server. Throws where the issuer cannot be asked. */
  async check(token: string): Promise<JwtGrant | null> {
    const { issuer, audience, clockToleranceSeconds: clockTolerance = 30 } = this.#options;
    try {
      const verified = { issuer, audience, clockTolerance, algorithms: ALGORITHMS, requiredClaims: ["exp", "sub"] };
      const { payload } = await jwtVerify(token, await this.#keySet(), verified);
      return this.#grant(payload);
    } catch (error) {
      if (error instanceof errors.JOSEError && !OF_THE_ISSUER.has(error.code)) return null;
      const message = "The issuer of tokens cannot be asked for its keys; try again later.";
      throw error instanceof InputError ? error : new RetryError("ISSUER_UNAVAILABLE", message, { cause: error });
    }
  }

  #grant(payload: JWTPayload): JwtGrant | null {
    const { roleClaim = "runledger_role", tenantClaim = "runledger_tenant", defaultTenant } = this.#options;
    const said = [claim(payload, roleClaim)].flat();
    const role = accessRoles.findLast((one) => said.includes(one));
    const tenantId = claim(payload, tenantClaim) ?? defaultTenant;
    if (role === undefined || typeof tenantId !== "string" || tenantId === "") return null;
    const { sub = "", email, exp = 0 } = payload;
    const expiresAt = new Date(exp * 1000).toISOString();
    return { name: typeof email === "string" ? email : sub, tenantId, role, credential: `jwt:${sub}`, expiresAt };
  }

  /** Keys are kept, and asked for again when a token is signed with one that is not among them. */
  async #keySet(): Promise<JWTVerifyGetKey> {
    const { jwksUrl, cooldownMs = 30_000 } = this.#options;
    this.#keys ??= createRemoteJWKSet(new URL(jwksUrl ?? (await discover(this.#options.issuer))), {
      cooldownDuration: cooldownMs,
      timeoutDuration: 5000,
    });
    return this.#keys;
  }
}

async function discover(issuer: string): Promise<string> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const response = await fetch(url, { signal: AbortSignal.timeout(5000), redirect: "error" });
  const { jwks_uri: uri } = (await response.json()) as { jwks_uri?: unknown };
  if (response.ok && typeof uri === "string") return uri;
  throw new InputError("CONFIG_INVALID", "jwt.issuer", `${url} names no jwks_uri; set jwksUrl.`);
}

function claim(payload: JWTPayload, path: string): unknown {
  const exact = payload[path];
  if (exact !== undefined) return exact;
  return path
    .split(".")
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], payload);
}
