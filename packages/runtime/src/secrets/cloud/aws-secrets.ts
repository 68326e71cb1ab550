/** Secrets in AWS Secrets Manager. */
import {
  checkSecret,
  omitUndefined,
  type ISecretsProvider,
  type SecretRef,
  type SecretContext,
} from "@runledger/contracts";
import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { misconfigured, notFound, unavailable } from "../secret-errors.js";
import { firstOf, placesOf, resolveEach } from "../secret-places.js";

export interface AwsSecretsOptions {
  /** Default: the region of the SDK's configuration. Credentials come from the SDK's default chain. */
  readonly region?: string;
  /** Address of the service. Default: that of the region. */
  readonly endpoint?: string;
  /** Stands before every name. Default `runledger`. */
  readonly prefix?: string;
}

const NAMING = { separator: "/", part: /^[A-Za-z0-9_+=.@-]+$/ };
const SERVICE = "AWS Secrets Manager";

/**
 * Reads `PREFIX/tenants/TENANT/ENVIRONMENT/NAME`, `PREFIX/tenants/TENANT/NAME`, then `PREFIX/NAME`. A version is a version id
 * or a stage such as `AWSPREVIOUS`. Needs the package @aws-sdk/client-secrets-manager.
 */
export class AwsSecrets implements ISecretsProvider {
  readonly #options: AwsSecretsOptions;
  #client: Promise<SecretsManagerClient> | null = null;

  constructor(options: AwsSecretsOptions = {}) {
    this.#options = options;
  }

  resolve(refs: readonly SecretRef[], whose: SecretContext): Promise<Record<string, string>> {
    return resolveEach(refs, (ref) => this.#value(ref, whose));
  }

  async #value({ name, version }: SecretRef, whose: SecretContext): Promise<string> {
    const { prefix = "runledger" } = this.#options;
    const places = placesOf(name, whose, NAMING).map((place) => `${prefix}/${place}`);
    const value = await firstOf(places, (place) => this.#read(place, version));
    if (value !== null) return checkSecret(name, value);
    throw notFound(name, `is not in AWS Secrets Manager. Create ${places.at(-1)} there.`);
  }

  async #read(place: string, version: string | undefined): Promise<string | null> {
    const { GetSecretValueCommand } = await loadSdk();
    const isStage = version?.startsWith("AWS") === true;
    const wanted = isStage ? { VersionStage: version } : { VersionId: version };
    const client = await (this.#client ??= this.#connect());
    try {
      const found = await client.send(new GetSecretValueCommand({ SecretId: place, ...omitUndefined(wanted) }));
      return found.SecretString ?? Buffer.from(found.SecretBinary ?? []).toString("utf8");
    } catch (error) {
      return judged(error);
    }
  }

  async #connect(): Promise<SecretsManagerClient> {
    const { SecretsManagerClient: Client } = await loadSdk();
    const { region, endpoint } = this.#options;
    return new Client(omitUndefined({ region, endpoint }));
  }
}

/** Returns `null` for a missing secret. Everything without an answer of the service is an outage. */
function judged(error: unknown): null {
  const { name = "", message = "", $metadata: { httpStatusCode: status } = {} } = error as AwsError;
  if (name === "ResourceNotFoundException") return null;
  if (status === undefined || status >= 500 || /Throttling|TooManyRequests|LimitExceeded/.test(name))
    throw unavailable(SERVICE, error);
  throw misconfigured(SERVICE, `refused to read (${name}): ${message}`);
}

interface AwsError {
  readonly name?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

async function loadSdk() {
  try {
    return await import("@aws-sdk/client-secrets-manager");
  } catch (error) {
    if ((error as { code?: string }).code !== "ERR_MODULE_NOT_FOUND") throw error;
    const name = "@aws-sdk/client-secrets-manager";
    throw misconfigured(SERVICE, `needs the package ${name}, which is not installed. Run npm install ${name}.`);
  }
}
