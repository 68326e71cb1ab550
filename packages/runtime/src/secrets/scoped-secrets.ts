/** Restricts secrets to tenants and environments. */
import type { ISecretsProvider } from "@runledger/contracts";
import { forbidden } from "./secret-errors.js";

/** The runs that may use a secret. */
export interface SecretScope {
  /** Tenants. Default: all. */
  readonly tenants?: readonly string[];
  /** Environments. Default: all. */
  readonly environments?: readonly string[];
}

/**
 * Refuses names that no scope lists, and runs outside the scope of a name, before the provider is called. A name that ends
 * with `*` stands for all names that start with the rest; the longest match counts.
 */
export function scopedSecrets(
  provider: ISecretsProvider,
  scopes: Readonly<Record<string, SecretScope>>,
): ISecretsProvider {
  return {
    resolve: async (refs, whose) => {
      for (const { name } of refs) check(name, scopeOf(name, scopes), whose);
      return await provider.resolve(refs, whose);
    },
    known: () => ({ ...provider.known?.() }),
  };
}

function check(
  name: string,
  scope: SecretScope | undefined,
  { tenantId, environmentId }: { readonly tenantId: string; readonly environmentId: string },
): void {
  if (scope === undefined) throw forbidden(name, "is in no scope. Add its name to the scopes of the worker.");
  if (scope.tenants?.includes(tenantId) === false)
    throw forbidden(name, `may not be used by runs of the tenant ${tenantId}. Change its scope to allow it.`);
  if (scope.environments?.includes(environmentId) === false)
    throw forbidden(name, `may not be used in the environment ${environmentId}. Change its scope to allow it.`);
}

function scopeOf(name: string, scopes: Readonly<Record<string, SecretScope>>): SecretScope | undefined {
  if (Object.hasOwn(scopes, name)) return scopes[name];
  const patterns = Object.keys(scopes).filter((each) => each.endsWith("*") && name.startsWith(each.slice(0, -1)));
  const [longest] = patterns.sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : scopes[longest];
}
