/** Secrets in Azure Key Vault. */
import { checkSecret, type ISecretsProvider, type SecretRef, type SecretContext } from "@runledger/contracts";
import { notFound } from "../secret-errors.js";
import { firstOf, placesOf, resolveEach } from "../secret-places.js";
import { getWithBearer } from "./bearer-requests.js";

export interface AzureSecretsOptions {
  /** Address of the vault: `https://NAME.vault.azure.net`. */
  readonly vaultUrl: string;
  /** Logs in: `new DefaultAzureCredential()` of @azure/identity. */
  readonly credential: { getToken(scope: string): Promise<{ readonly token: string } | null> };
  /** Stands before every name. Default `runledger`. */
  readonly prefix?: string;
  /** Time limit of a request. Default 10 seconds. */
  readonly timeoutMs?: number;
}

/** Two hyphens in a row separate the parts of a name. */
const NAMING = { separator: "--", part: /^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/ };
const SCOPE = "https://vault.azure.net/.default";

/** Reads `PREFIX--tenants--TENANT--ENVIRONMENT--NAME`, `PREFIX--tenants--TENANT--NAME`, then `PREFIX--NAME`. */
export class AzureSecrets implements ISecretsProvider {
  readonly #options: AzureSecretsOptions;

  constructor(options: AzureSecretsOptions) {
    this.#options = options;
  }

  resolve(refs: readonly SecretRef[], whose: SecretContext): Promise<Record<string, string>> {
    return resolveEach(refs, (ref) => this.#value(ref, whose));
  }

  async #value({ name, version = "" }: SecretRef, whose: SecretContext): Promise<string> {
    const { prefix = "runledger", vaultUrl } = this.#options;
    const places = placesOf(name, whose, NAMING).map((place) => `${prefix}${NAMING.separator}${place}`);
    const value = await firstOf(places, (place) => this.#read(place, version));
    if (value !== null) return checkSecret(name, value);
    throw notFound(name, `is not in ${vaultUrl}. Create the secret ${places.at(-1)} there.`);
  }

  async #read(place: string, version: string): Promise<string | null> {
    const { vaultUrl, credential, timeoutMs = 10_000 } = this.#options;
    const url = new URL(`/secrets/${place}/${encodeURIComponent(version)}?api-version=7.4`, vaultUrl);
    const token = async (): Promise<string> => (await credential.getToken(SCOPE))?.token ?? "";
    const found = await getWithBearer({ service: "Azure Key Vault", url, token, timeoutMs });
    return found === null ? null : (found as { value: string }).value;
  }
}
