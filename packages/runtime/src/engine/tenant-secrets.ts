/** Secrets that belong to tenants, before those that all tenants share. */
import { InputError, type ISecretsProvider, type SecretRef } from "@runledger/contracts";

type Whose = Parameters<ISecretsProvider["resolve"]>[1];

/** A secret of a tenant is resolved for its runs only. Names that the tenant does not have are looked up in `shared`. */
export function tenantSecrets(shared: ISecretsProvider, own: ReadonlyMap<string, ISecretsProvider>): ISecretsProvider {
  if (own.size === 0) return shared;
  return {
    resolve: async (refs, whose) => {
      const provider = own.get(whose.tenantId);
      const found = provider === undefined ? {} : await resolveEach(provider, refs, whose);
      const others = refs.filter(({ name }) => found[name] === undefined);
      return others.length === 0 ? found : { ...(await shared.resolve(others, whose)), ...found };
    },
    known: () => ({ ...shared.known?.(), ...Object.fromEntries([...own].flatMap(knownOf)) }),
  };
}

/** Several tenants may have secrets of the same name. Each value is redacted. */
function knownOf([tenantId, provider]: readonly [string, ISecretsProvider]): [string, string][] {
  return Object.entries(provider.known?.() ?? {}).map(([name, value]) => [`${name} of ${tenantId}`, value]);
}

/** One by one, because a provider may refuse the whole list for one name. */
async function resolveEach(
  provider: ISecretsProvider,
  refs: readonly SecretRef[],
  whose: Whose,
): Promise<Record<string, string>> {
  const found = await Promise.all(refs.map((ref) => provider.resolve([ref], whose).catch(ifMissing)));
  return Object.assign({}, ...found) as Record<string, string>;
}

function ifMissing(error: unknown): Record<string, string> {
  if (error instanceof InputError && error.code === "SECRET_NOT_FOUND") return {};
  throw error;
}
