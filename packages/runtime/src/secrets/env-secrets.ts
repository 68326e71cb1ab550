import {
  checkSecret,
  DEFAULT_TENANT,
  MIN_SECRET_LENGTH,
  type ISecretsProvider,
  type SecretRef,
} from "@runledger/contracts";
import { SECRET_PREFIX, secretVariables } from "../config/environment.js";
import { notFound } from "./secret-errors.js";

/**
 * Reads secrets from environment variables: `warehouse-password` is RUNLEDGER_SECRET_WAREHOUSE_PASSWORD, which all tenants
 * share. The same name after `ACME__`, with two underscores, belongs to the tenant `acme` and comes first. Tenants
 * need names of lower-case letters, digits and single hyphens for that. Only the current version exists. A worker moves these
 * variables out of its environment when it starts.
 */
export class EnvSecrets implements ISecretsProvider {
  readonly #variables: Readonly<Record<string, string>>;

  constructor(variables: Readonly<Record<string, string | undefined>>) {
    this.#variables = secretVariables(variables); // a copy, because a worker removes them
  }

  async resolve(
    refs: readonly SecretRef[],
    { tenantId }: { readonly tenantId: string } = { tenantId: DEFAULT_TENANT },
  ): Promise<Record<string, string>> {
    return Object.fromEntries(refs.map(({ name, version }) => [name, this.#value(name, version, tenantId)]));
  }

  known(): Record<string, string> {
    const long = Object.entries(this.#variables).filter(([, value]) => value.length >= MIN_SECRET_LENGTH);
    return Object.fromEntries(long.map(([variable, value]) => [nameOf(variable), value]));
  }

  #value(name: string, version: string | undefined, tenantId: string): string {
    const words = name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_");
    const variable = SECRET_PREFIX + words;
    if (words.includes("__"))
      throw notFound(
        name,
        "contains two separators in a row, which names of variables reserve for tenants. Rename it.",
      );
    if (version !== undefined)
      throw notFound(name, `has no version ${version}. Environment variables have only the current version.`);
    const value = this.#variables[ownVariable(tenantId, words) ?? variable] ?? this.#variables[variable];
    if (value === undefined) throw notFound(name, `is not set. Set ${variable} where the worker runs.`);
    return checkSecret(name, value);
  }
}

/** `null` if the name of the tenant could be confused with another one in a variable. */
function ownVariable(tenantId: string, words: string): string | null {
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(tenantId)) return null;
  return `${SECRET_PREFIX}${tenantId.toUpperCase().replaceAll("-", "_")}__${words}`;
}

/** The usual spelling; a resolved secret has the name by which it was resolved. */
function nameOf(variable: string): string {
  return variable.slice(SECRET_PREFIX.length).toLowerCase().replaceAll("_", "-");
}
