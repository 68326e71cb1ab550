/**
 * Secrets in PostgreSQL under envelope encryption. Each version has a random data key, which encrypts the value with
 * AES-256-GCM. A key of the tenant encrypts the data key. Tenant, environment, name and version are authenticated, so that
 * a row cannot be moved to another place.
 */
import { randomBytes } from "node:crypto";
import { checkSecret, InputError, type SecretRef } from "@runledger/contracts";
import { decrypt, encrypt } from "../../encryption/aes-gcm.js";
import { Keyring, type EncryptionOptions } from "../../encryption/keyring.js";
import type { ManagedSecrets, NewSecret, SecretInfo } from "../managed-secrets.js";
import { misconfigured, notFound } from "../secret-errors.js";
import { resolveEach, type Whose } from "../secret-places.js";
import { SecretRows, type SecretPlace, type SecretRow } from "./secret-rows.js";

export interface PostgresSecretsOptions extends EncryptionOptions {
  /** The database. It can be that of the ledger; the table has a schema of its own. */
  readonly url: string;
}

const DATA_KEY_BYTES = 32;

export class PostgresSecrets implements ManagedSecrets, AsyncDisposable {
  readonly #rows: SecretRows;
  readonly #keyring: Keyring;

  private constructor(rows: SecretRows, keyring: Keyring) {
    this.#rows = rows;
    this.#keyring = keyring;
  }

  /** Creates the table if it does not exist. */
  static async open({ url, ...encryption }: PostgresSecretsOptions): Promise<PostgresSecrets> {
    const keyring = await Keyring.open(encryption);
    const rows = new SecretRows(url);
    await rows.migrate();
    return new PostgresSecrets(rows, keyring);
  }

  resolve(refs: readonly SecretRef[], whose: Whose): Promise<Record<string, string>> {
    return resolveEach(refs, (ref) => this.#value(ref, whose));
  }

  async #value({ name, version }: SecretRef, { tenantId, environmentId }: Whose): Promise<string> {
    const row = await this.#rows.find(name, tenantId, environmentId, versionOf(name, version));
    if (row === null) throw notFound(name, "is not in the database. Run runledger secrets set to store it.");
    return checkSecret(name, decrypt(this.#dataKey(row), row.sealed, { context: contextOf(row) }).toString("utf8"));
  }

  async list(): Promise<SecretInfo[]> {
    return (await this.#rows.list()).map(infoOf);
  }

  async set({ name, value, tenantId = "", environmentId = "" }: NewSecret): Promise<SecretInfo> {
    checkSecret(name, value);
    if (environmentId !== "" && tenantId === "")
      throw new InputError("OPTION_INVALID", "environmentId", "needs a tenant. Pass tenantId too.");
    const place = { tenant: tenantId, environment: environmentId, name };
    for (;;) {
      const version = (await this.#rows.newestVersion(place)) + 1;
      const stored = await this.#rows.insert(this.#sealed({ ...place, version }, value));
      if (stored !== null) return infoOf(stored); // otherwise another process stored this version first
    }
  }

  async rotate(): Promise<number> {
    let changed = 0;
    for (const row of await this.#rows.list()) {
      const { id, cipher } = this.#keyring.current(row.tenant);
      if (row.keyId === id) continue;
      const wrapped = encrypt(cipher, this.#dataKey(row), { context: contextOf(row) });
      if (await this.#rows.rewrap(row, id, wrapped)) changed++;
    }
    return changed;
  }

  async close(): Promise<void> {
    await this.#rows.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #sealed(place: SecretPlace, value: string): Omit<SecretRow, "createdAt"> {
    const { id, cipher } = this.#keyring.current(place.tenant);
    const dataKey = randomBytes(DATA_KEY_BYTES);
    const context = contextOf(place);
    const sealed = encrypt(dataKey, Buffer.from(value, "utf8"), { context });
    return { ...place, keyId: id, wrappedKey: encrypt(cipher, dataKey, { context }), sealed };
  }

  #dataKey(row: SecretRow): Buffer {
    const key = this.#keyring.find(row.tenant, row.keyId);
    if (key === null) throw misconfigured(`secret ${row.name}`, `needs the key ${row.keyId}, which is lost.`);
    return decrypt(key.cipher, row.wrappedKey, { context: contextOf(row) });
  }
}

function contextOf({ tenant, environment, name, version }: SecretPlace): string {
  return JSON.stringify([tenant, environment, name, version]);
}

function versionOf(name: string, version: string | undefined): number | null {
  if (version === undefined) return null;
  if (/^[1-9]\d{0,8}$/.test(version)) return Number(version);
  throw notFound(name, `has no version ${version}. Versions are whole numbers from 1.`);
}

function infoOf({ name, version, tenant, environment, keyId, createdAt }: SecretRow): SecretInfo {
  return {
    name,
    version: String(version),
    tenantId: tenant === "" ? null : tenant,
    environmentId: environment === "" ? null : environment,
    keyId,
    createdAt: createdAt.toISOString(),
  };
}
