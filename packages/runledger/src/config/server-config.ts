/** Access to the server, from the configuration and from environment variables, which take precedence. */
import {
  InputError,
  omitUndefined,
  type Authorization,
  type AuthorizationAnswer,
  type SignalRequest,
} from "@runledger/contracts";
import type { CacheSettings } from "@runledger/runtime/cache/open-cache";
import type { JwtOptions, QuotaOptions } from "@runledger/server";

export interface ServerConfig {
  /** Host names that requests may use, for example behind a proxy. */
  readonly allowedHosts?: readonly string[];
  /** Addresses of proxies that terminate TLS in front of the server, such as `127.0.0.1`. */
  readonly trustProxy?: readonly string[];
  /** `true` if a caller may approve a run that it has started itself. Defaults to `false`. */
  readonly selfApproval?: boolean;
  /**
   * Decides who may send signals and actions to a run, after the check of the caller's role. The run's log records a denial.
   * If it throws, the call fails and nothing is written.
   */
  readonly authorize?: (request: SignalRequest) => AuthorizationAnswer | Promise<AuthorizationAnswer>;
  /** Issuer of accepted JWTs. */
  readonly jwt?: JwtOptions;
  /** Days that audit entries are kept. Defaults to 365. `null` keeps them forever. */
  readonly auditRetentionDays?: number | null;
  /** Limits that keep one caller from slowing down the others. */
  readonly limits?: QuotaOptions;
  /** Cache through which the server reads runs. Default: 64 MB in the process. */
  readonly cache?: CacheSettings;
}

/** Returns the option of `connect` for a server. */
export function authorizationOf({ authorize }: ServerConfig = {}): { readonly authorization?: Authorization } {
  return authorize === undefined ? {} : { authorization: { authorize: async (request) => authorize(request) } };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the settings of the cache. RUNLEDGER_CACHE replaces the URL. */
export function resolveCache(config: CacheSettings | undefined, environment: Environment): CacheSettings {
  const { RUNLEDGER_CACHE: url = "" } = environment;
  return { ...config, ...(url === "" ? {} : { url }) };
}

export function resolveJwt(config: JwtOptions | undefined, environment: Environment): JwtOptions | undefined {
  const variable = (name: string): string | undefined => {
    const value = environment[`RUNLEDGER_JWT_${name}`] ?? "";
    return value === "" ? undefined : value;
  };
  const { issuer, audience, ...others } = {
    ...config,
    ...omitUndefined({ issuer: variable("ISSUER"), audience: variable("AUDIENCE"), jwksUrl: variable("JWKS_URL") }),
    ...omitUndefined({
      roleClaim: variable("ROLE_CLAIM"),
      tenantClaim: variable("TENANT_CLAIM"),
      defaultTenant: variable("TENANT"),
    }),
  };
  if (issuer === undefined) return undefined;
  if (audience === undefined)
    throw new InputError(
      "CONFIG_INVALID",
      "jwt.audience",
      "is missing. Set it in the configuration or in RUNLEDGER_JWT_AUDIENCE.",
    );
  return { issuer, audience, ...others };
}
