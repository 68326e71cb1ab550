/**
 * Secrets in PostgreSQL under envelope encryption. Each version has a random data key, which encrypts the value with
 * AES-256-GCM. A key of the tenant encrypts the data key. Tenant, environment, name and version are authenticated, so that
 * a row cannot be moved to another place.
 */
import { randomBytes } from "node:crypto";
import { checkSecret, InputError, type SecretRef, type SecretContext } from "@runledger/contracts";
import { decrypt, encrypt } from "../../encryption/aes-gcm.js";
import { Keyring, type EncryptionOptions } from "../../encryption/keyring.js";
import type { ManagedSecrets, NewSecret, SecretInfo } from "../managed-secrets.js";
import { misconfigured, notFound } from "../secret-errors.js";
import { resolveEach } from "../secret-places.js";
import { SecretRows, type SecretPlace, type SecretRow } from "./secret-rows.js";

export interface PostgresSecretsOptions extends EncryptionOptions {
  /** The database. It can be that of the ledger; the table has its own schema. */
  readonly url: string;
}

const DATA_KEY_BYTES = 32;

interface Opened {
  readonly rows: SecretRows;
  readonly keyring: Keyring;
}

/** Connects when the first secret is needed, and creates the table if it does not exist. */
export class PostgresSecrets implements ManagedSecrets, AsyncDisposable {
  readonly #options: PostgresSecretsOptions;
  #opened: Promise<Opened> | null = null;

  constructor(options: PostgresSecretsOptions) {
    this.#options = options;
  }

  resolve(refs: readonly SecretRef[], whose: SecretContext): Promise<Record<string, string>> {
    return resolveEach(refs, (ref) => this.#value(ref, whose));
  }

  async #value({ name, version }: SecretRef, { tenantId, environmentId }: SecretContext): Promise<string> {
    const opened = await this.#open();
    const row = await opened.rows.find(name, tenantId, environmentId, versionOf(name, version));
    if (row === null) throw notFound(name, "is not in the database. Run runledger secrets set to store it.");
    return checkSecret(name, decrypt(dataKey(opened, row), row.sealed, { context: contextOf(row) }).toString("utf8"));
  }

  async list(): Promise<SecretInfo[]> {
    return (await (await this.#open()).rows.list()).map(infoOf);
  }

  async set({ name, value, tenantId = "", environmentId = "" }: NewSecret): Promise<SecretInfo> {
    checkSecret(name, value);
    if (environmentId !== "" && tenantId === "")
      throw new InputError("OPTION_INVALID", "environmentId", "needs a tenant. Pass tenantId too.");
    const place = { tenant: tenantId, environment: environmentId, name };
    const { rows, keyring } = await this.#open();
    for (;;) {
      const version = (await rows.newestVersion(place)) + 1;
      const stored = await rows.insert(sealed(keyring, { ...place, version }, value));
      if (stored !== null) return infoOf(stored); // otherwise another process stored this version first
    }
  }

  async rotate(): Promise<number> {
    const opened = await this.#open();
    let changed = 0;
    for (const row of await opened.rows.list()) {
      const { id, cipher } = opened.keyring.current(row.tenant);
      if (row.keyId === id) continue;
      const wrapped = encrypt(cipher, dataKey(opened, row), { context: contextOf(row) });
      if (await opened.rows.rewrap(row, id, wrapped)) changed++;
    }
    return changed;
  }

  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => null);
    await opened?.rows.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** After a failure the next call tries again. */
  #open(): Promise<Opened> {
    if (this.#opened !== null) return this.#opened;
    const opening = this.#connect();
    opening.catch(() => (this.#opened = null));
    return (this.#opened = opening);
  }

  async #connect(): Promise<Opened> {
    const { url, ...encryption } = this.#options;
    const keyring = await Keyring.open(encryption);
    const rows = new SecretRows(url);
    try {
      await rows.migrate();
    } catch (error) {
      await rows.close();
      throw error;
    }
    return { rows, keyring };
  }
}

function sealed(keyring: Keyring, place: SecretPlace, value: string): Omit<SecretRow, "createdAt"> {
  const { id, cipher } = keyring.current(place.tenant);
  const key = randomBytes(DATA_KEY_BYTES);
  const context = contextOf(place);
  const ciphertext = encrypt(key, Buffer.from(value, "utf8"), { context });
  return { ...place, keyId: id, wrappedKey: encrypt(cipher, key, { context }), sealed: ciphertext };
}

function dataKey({ keyring }: Opened, row: SecretRow): Buffer {
  const key = keyring.find(row.tenant, row.keyId);
  if (key === null) throw misconfigured(`secret ${row.name}`, `needs the key ${row.keyId}, which is lost.`);
  return decrypt(key.cipher, row.wrappedKey, { context: contextOf(row) });
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
