/** Keeps resolved values in memory, so that a service is not called for every step. */
import type { ISecretsProvider, SecretRef, SecretContext } from "@runledger/contracts";

interface Entry {
  readonly value: Promise<string | undefined>;
  readonly expiresAt: number;
}

/** Fewer than this many values are kept. The oldest one is dropped first. */
const MAX_ENTRIES = 1000;

/** Serves a value for `ttlMs`. Concurrent calls share one request. A failure is not kept. */
export function cachedSecrets(
  provider: ISecretsProvider,
  { ttlMs = 300_000, now = () => performance.now() }: { readonly ttlMs?: number; readonly now?: () => number } = {},
): ISecretsProvider {
  const entries = new Map<string, Entry>();
  const value = (ref: SecretRef, whose: SecretContext): Promise<string | undefined> => {
    const key = JSON.stringify([whose.tenantId, whose.environmentId, ref.name, ref.version ?? null]);
    const known = entries.get(key);
    if (known !== undefined && known.expiresAt > now()) return known.value;
    const fresh = { value: resolveOne(provider, ref, whose), expiresAt: now() + ttlMs };
    entries.delete(key);
    entries.set(key, fresh);
    for (const oldest of entries.keys()) if (entries.size > MAX_ENTRIES) entries.delete(oldest);
    fresh.value.catch(() => entries.get(key) === fresh && entries.delete(key));
    return fresh.value;
  };
  return {
    resolve: async (refs, whose) => {
      const values = await Promise.all(refs.map(async (ref) => [ref.name, await value(ref, whose)] as const));
      return Object.fromEntries(values.filter((pair): pair is [string, string] => pair[1] !== undefined));
    },
    known: () => ({ ...provider.known?.() }),
  };
}

async function resolveOne(
  provider: ISecretsProvider,
  ref: SecretRef,
  whose: SecretContext,
): Promise<string | undefined> {
  return (await provider.resolve([ref], whose))[ref.name];
}
