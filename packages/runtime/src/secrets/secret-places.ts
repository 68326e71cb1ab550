/** The names under which a provider looks for a secret. */
import type { SecretContext } from "@runledger/contracts";
import { notFound } from "./secret-errors.js";

export interface Naming {
  /** Stands between the parts of a name. No part may contain it. */
  readonly separator: string;
  /** Accepts a part of a name. Others could leave their folder or be confused with another scope. */
  readonly part: RegExp;
}

/**
 * Returns names from the most specific to the one that all tenants share: `tenants/TENANT/ENVIRONMENT/NAME`,
 * `tenants/TENANT/NAME`, `NAME`. A tenant or environment that cannot be part of a name shares all secrets.
 */
export function placesOf(
  name: string,
  { tenantId, environmentId }: SecretContext,
  { separator, part }: Naming,
): string[] {
  if (!part.test(name)) throw notFound(name, "has characters that this provider does not allow. Rename it.");
  const own = part.test(tenantId) ? [["tenants", tenantId, name]] : [];
  const inside = part.test(tenantId) && part.test(environmentId) ? [["tenants", tenantId, environmentId, name]] : [];
  return [...inside, ...own, [name]].map((parts) => parts.join(separator));
}

/** Returns the first value that `read` finds, or `null`. */
export async function firstOf(
  places: readonly string[],
  read: (place: string) => Promise<string | null>,
): Promise<string | null> {
  for (const place of places) {
    const value = await read(place);
    if (value !== null) return value;
  }
  return null;
}

/** Resolves references one by one. */
export async function resolveEach<R extends { readonly name: string }>(
  refs: readonly R[],
  resolve: (ref: R) => Promise<string>,
): Promise<Record<string, string>> {
  return Object.fromEntries(await Promise.all(refs.map(async (ref) => [ref.name, await resolve(ref)] as const)));
}
