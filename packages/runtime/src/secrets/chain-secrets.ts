/** Several providers as one. */
import type { ISecretsProvider, SecretRef, SecretContext } from "@runledger/contracts";
import { isNotFound, notFound } from "./secret-errors.js";
import { resolveEach } from "./secret-places.js";

/**
 * Asks the providers in order until one has the secret. Only a missing secret leads to the next provider: if one is
 * unavailable or refuses, a weaker value of a later one must not take its place.
 */
export function chainSecrets(...providers: readonly ISecretsProvider[]): ISecretsProvider {
  return {
    resolve: (refs, whose) => resolveEach(refs, (ref) => firstValue(providers, ref, whose)),
    known: () =>
      Object.assign({}, ...providers.toReversed().map((provider) => provider.known?.())) as Record<string, string>,
  };
}

async function firstValue(
  providers: readonly ISecretsProvider[],
  ref: SecretRef,
  whose: SecretContext,
): Promise<string> {
  const reasons: string[] = [];
  for (const provider of providers) {
    try {
      const { [ref.name]: value } = await provider.resolve([ref], whose);
      if (value !== undefined) return value;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      reasons.push((error as Error).message);
    }
  }
  throw notFound(ref.name, `is in none of ${providers.length} providers. ${reasons.join(" ")}`);
}
