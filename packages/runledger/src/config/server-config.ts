/** Who may call a server: said in the configuration, or in variables, which come first. */
import { InputError } from "@runledger/contracts";
import type { JwtOptions } from "../server/access/jwt.js";
import { present } from "../workflow/present.js";

export interface ServerConfig {
  /** Names under which the server may be called, behind a proxy for example. */
  readonly allowedHosts?: readonly string[];
  /** An issuer whose tokens are good. */
  readonly jwt?: JwtOptions;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function resolveJwt(config: JwtOptions | undefined, environment: Environment): JwtOptions | undefined {
  const said = (name: string): string | undefined => {
    const value = environment[`RUNLEDGER_JWT_${name}`] ?? "";
    return value === "" ? undefined : value;
  };
  const { issuer, audience, ...others } = {
    ...config,
    ...present({ issuer: said("ISSUER"), audience: said("AUDIENCE"), jwksUrl: said("JWKS_URL") }),
    ...present({ roleClaim: said("ROLE_CLAIM"), tenantClaim: said("TENANT_CLAIM"), defaultTenant: said("TENANT") }),
  };
  if (issuer === undefined) return undefined;
  if (audience === undefined)
    throw new InputError("CONFIG_INVALID", "jwt.audience", "is missing; set it, or RUNLEDGER_JWT_AUDIENCE.");
  return { issuer, audience, ...others };
}
