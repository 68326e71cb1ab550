import { checkSecret, type ISecretsProvider, type SecretRef } from "@runledger/contracts";

const PREFIX = "RUNLEDGER_SECRET_";

/**
 * Secrets from environment variables: `warehouse-password` is RUNLEDGER_SECRET_WAREHOUSE_PASSWORD. All tenants and
 * environments that a worker serves share them; a worker for each keeps them apart. There is one version: the current.
 */
export class EnvSecrets implements ISecretsProvider {
  readonly #variables: Readonly<Record<string, string | undefined>>;

  constructor(variables: Readonly<Record<string, string | undefined>>) {
    this.#variables = variables;
  }

  async resolve(refs: readonly SecretRef[]): Promise<Record<string, string>> {
    return Object.fromEntries(refs.map(({ name, version }) => [name, this.#value(name, version)]));
  }

  #value(name: string, version: string | undefined): string {
    const variable = PREFIX + name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_");
    return checkSecret(name, version === undefined ? this.#variables[variable] : undefined);
  }
}
