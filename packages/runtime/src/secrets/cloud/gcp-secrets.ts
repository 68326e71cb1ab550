/** Secrets in Google Cloud's Secret Manager. */
import { checkSecret, type ISecretsProvider, type SecretRef, type SecretContext } from "@runledger/contracts";
import { notFound } from "../secret-errors.js";
import { firstOf, placesOf, resolveEach } from "../secret-places.js";
import { getWithBearer } from "./bearer-requests.js";

export interface GcpSecretsOptions {
  readonly projectId: string;
  /** Logs in: `new GoogleAuth({ scopes: "https://www.googleapis.com/auth/cloud-platform" })` of google-auth-library. */
  readonly auth: { getAccessToken(): Promise<string | null | undefined> };
  /** Stands before every name. Default `runledger`. */
  readonly prefix?: string;
  /** Address of the service. Default: Google's. */
  readonly endpoint?: string;
  /** Time limit of a request. Default 10 seconds. */
  readonly timeoutMs?: number;
}

/** Two underscores in a row separate the parts of a name. */
const NAMING = { separator: "__", part: /^[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*$/ };
const SERVICE = "Google Secret Manager";

/** Reads `PREFIX__tenants__TENANT__ENVIRONMENT__NAME`, `PREFIX__tenants__TENANT__NAME`, then `PREFIX__NAME`. */
export class GcpSecrets implements ISecretsProvider {
  readonly #options: GcpSecretsOptions;

  constructor(options: GcpSecretsOptions) {
    this.#options = options;
  }

  resolve(refs: readonly SecretRef[], whose: SecretContext): Promise<Record<string, string>> {
    return resolveEach(refs, (ref) => this.#value(ref, whose));
  }

  async #value({ name, version = "latest" }: SecretRef, whose: SecretContext): Promise<string> {
    const { prefix = "runledger", projectId } = this.#options;
    const places = placesOf(name, whose, NAMING).map((place) => `${prefix}${NAMING.separator}${place}`);
    const value = await firstOf(places, (place) => this.#read(place, version));
    if (value !== null) return checkSecret(name, value);
    throw notFound(name, `is not in the project ${projectId}. Create the secret ${places.at(-1)} there.`);
  }

  async #read(place: string, version: string): Promise<string | null> {
    const { projectId, auth, endpoint = "https://secretmanager.googleapis.com", timeoutMs = 10_000 } = this.#options;
    const path = ["projects", projectId, "secrets", place, "versions", version].map(encodeURIComponent).join("/");
    const url = new URL(`/v1/${path}:access`, endpoint);
    const token = async (): Promise<string> => (await auth.getAccessToken()) ?? "";
    const found = await getWithBearer({ service: SERVICE, url, token, timeoutMs });
    return found === null ? null : decoded((found as { payload: { data: string } }).payload.data);
  }
}

function decoded(data: string): string {
  return Buffer.from(data, "base64").toString("utf8");
}
