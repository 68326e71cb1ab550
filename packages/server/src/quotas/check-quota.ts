import { InputError, omitUndefined } from "@runledger/contracts";
import type { Quota, QuotaOptions } from "./quota-options.js";

/** Adds the defaults. Throws CONFIG_INVALID for a limit that no call could meet. */
export function completeQuota(kind: keyof QuotaOptions, defaults: Required<Quota>, given: Quota = {}): Required<Quota> {
  const quota = { ...defaults, ...omitUndefined(given) };
  for (const [name, limit] of Object.entries(quota) as [string, unknown][])
    if (limit !== null && !(typeof limit === "number" && limit >= 1))
      throw new InputError(
        "CONFIG_INVALID",
        `server.limits.${kind}.${name}`,
        "must be at least 1, or null for no limit.",
      );
  return quota;
}
