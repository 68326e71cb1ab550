/** The table of encrypted secrets. A version is written once; only the key around its data key changes. */
import { Pool } from "pg";
import { misconfigured, unavailable } from "../secret-errors.js";

export interface SecretPlace {
  /** Empty if all tenants share the secret. */
  readonly tenant: string;
  /** Empty if it belongs to all environments. */
  readonly environment: string;
  readonly name: string;
  readonly version: number;
}

export interface SecretRow extends SecretPlace {
  readonly keyId: string;
  /** The data key, encrypted with the key `keyId`. */
  readonly wrappedKey: Buffer;
  /** The value, encrypted with the data key. */
  readonly sealed: Buffer;
  readonly createdAt: Date;
}

const SCHEMA = `
  CREATE SCHEMA IF NOT EXISTS runledger_secrets;
  CREATE TABLE IF NOT EXISTS runledger_secrets.secrets (
    tenant text NOT NULL, environment text NOT NULL, name text NOT NULL, version integer NOT NULL,
    key_id text NOT NULL, wrapped_key bytea NOT NULL, sealed bytea NOT NULL, created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, environment, name, version))`;
/** Serializes processes that create the table at the same moment. The number has no other meaning. */
const SCHEMA_LOCK = 7_305_101;
const COLUMNS = `tenant, environment, name, version, key_id AS "keyId", wrapped_key AS "wrappedKey", sealed,
  created_at AS "createdAt"`;

export class SecretRows {
  readonly #pool: Pool;

  constructor(url: string) {
    const limits = { max: 2, connectionTimeoutMillis: 10_000, query_timeout: 10_000 };
    this.#pool = new Pool({ connectionString: url, ...limits, allowExitOnIdle: true });
    this.#pool.on("error", () => {}); // an idle connection was lost, and the next query opens another one
  }

  async migrate(): Promise<void> {
    await this.#query(`BEGIN; SELECT pg_advisory_xact_lock(${SCHEMA_LOCK}); ${SCHEMA}; COMMIT`);
  }

  /** Returns the version, or the newest one, of the most specific place that has it. */
  async find(name: string, tenant: string, environment: string, version: number | null): Promise<SecretRow | null> {
    const [row] = await this.#query(
      `SELECT ${COLUMNS} FROM runledger_secrets.secrets
       WHERE name = $1 AND (tenant, environment) IN (($2, $3), ($2, ''), ('', '')) AND ($4::int IS NULL OR version = $4)
       ORDER BY tenant DESC, environment DESC, version DESC LIMIT 1`,
      [name, tenant, environment, version],
    );
    return row ?? null;
  }

  async list(): Promise<SecretRow[]> {
    return await this.#query(
      `SELECT ${COLUMNS} FROM runledger_secrets.secrets ORDER BY name, tenant, environment, version DESC`,
    );
  }

  async newestVersion({ tenant, environment, name }: Omit<SecretPlace, "version">): Promise<number> {
    const [row] = await this.#query(
      `SELECT coalesce(max(version), 0) AS version FROM runledger_secrets.secrets
       WHERE tenant = $1 AND environment = $2 AND name = $3`,
      [tenant, environment, name],
    );
    return row!.version;
  }

  /** Returns `null` if another process stored the version first. */
  async insert(row: Omit<SecretRow, "createdAt">): Promise<SecretRow | null> {
    const [stored] = await this.#query(
      `INSERT INTO runledger_secrets.secrets (tenant, environment, name, version, key_id, wrapped_key, sealed)
       VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
      [row.tenant, row.environment, row.name, row.version, row.keyId, row.wrappedKey, row.sealed],
    );
    return stored ?? null;
  }

  /** Replaces the wrapped key if no other process has done so. */
  async rewrap(row: SecretRow, keyId: string, wrappedKey: Buffer): Promise<boolean> {
    const changed = await this.#query(
      `UPDATE runledger_secrets.secrets SET key_id = $1, wrapped_key = $2
       WHERE tenant = $3 AND environment = $4 AND name = $5 AND version = $6 AND key_id = $7 RETURNING ${COLUMNS}`,
      [keyId, wrappedKey, row.tenant, row.environment, row.name, row.version, row.keyId],
    );
    return changed.length === 1;
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #query(text: string, values?: readonly unknown[]): Promise<SecretRow[]> {
    const result = await this.#pool.query<SecretRow>(text, values as unknown[]).catch((error: unknown) => {
      throw judged(error);
    });
    return result.rows;
  }
}

const DATABASE = "The database of secrets";

/** A lost connection, a restart, or no room: the next query may succeed. Other answers need a change of the setup. */
function judged(error: unknown): Error {
  const { code = "", message } = error as { code?: string; message: string };
  const isAnswer = /^[0-9A-Z]{5}$/.test(code) && !/^(08|40|53|57)/.test(code);
  return isAnswer ? misconfigured(DATABASE, `refused a query (${code}): ${message}`) : unavailable(DATABASE, error);
}
