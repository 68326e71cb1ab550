/** Secrets in the KV engine (version 2) of HashiCorp Vault. */
import { checkSecret, type ISecretsProvider, type SecretRef, type SecretContext } from "@runledger/contracts";
import { misconfigured, notFound } from "../secret-errors.js";
import { firstOf, placesOf, resolveEach } from "../secret-places.js";
import { VaultHttp } from "./vault-http.js";
import { VaultSession, type VaultAuth } from "./vault-session.js";

export interface VaultSecretsOptions {
  /** Address of the server, such as `https://vault.example.com:8200`. */
  readonly address: string;
  /** How the worker logs in: a token, an AppRole, or its Kubernetes service account. */
  readonly auth: VaultAuth;
  /** The mount of the KV engine. Default `secret`. */
  readonly mount?: string;
  /** Folder of the secrets inside the mount. Default `runledger`. */
  readonly path?: string;
  /** Namespace of Vault Enterprise. */
  readonly namespace?: string;
  /** Time limit of a request. Default 10 seconds. */
  readonly timeoutMs?: number;
}

/** A part of dots alone would lead to another folder. */
const NAMING = { separator: "/", part: /^(?!\.+$)[A-Za-z0-9_.@=+-]+$/ };

/**
 * Reads the field `value` of `PATH/tenants/TENANT/ENVIRONMENT/NAME`, then `PATH/tenants/TENANT/NAME`, then `PATH/NAME`, which
 * all tenants share. Wrap it with `cachedSecrets` so that not every step calls Vault.
 */
export class VaultSecrets implements ISecretsProvider {
  readonly #session: VaultSession;
  readonly #root: string;

  constructor({ auth, mount = "secret", path = "runledger", ...where }: VaultSecretsOptions) {
    this.#session = new VaultSession(new VaultHttp(where), auth);
    this.#root = `${mount}/data/${path}`;
  }

  resolve(refs: readonly SecretRef[], whose: SecretContext): Promise<Record<string, string>> {
    return resolveEach(refs, (ref) => this.#value(ref, whose));
  }

  async #value({ name, version }: SecretRef, whose: SecretContext): Promise<string> {
    const value = await firstOf(placesOf(name, whose, NAMING), (place) => this.#read(place, version));
    if (value !== null) return checkSecret(name, value);
    const place = `${this.#root.replace("/data/", "/")}/${name}`;
    throw notFound(name, `is not in Vault. Write it with vault kv put ${place} value=-`);
  }

  /** Returns `null` if there is no such secret or version. */
  async #read(path: string, version: string | undefined): Promise<string | null> {
    const query = version === undefined ? "" : `?version=${encodeURIComponent(version)}`;
    const { status, body } = await this.#session.get(`${this.#root}/${path}${query}`);
    if (status === 404 || status === 400) return null;
    if (status !== 200)
      throw misconfigured("Vault", `refused to read ${this.#root}/${path} with status ${status}. Check the policy.`);
    const { value } = (body as { data: { data: Record<string, unknown> } }).data.data;
    if (typeof value === "string") return value;
    throw misconfigured("Vault", `has no field "value" with text in ${this.#root}/${path}.`);
  }
}
