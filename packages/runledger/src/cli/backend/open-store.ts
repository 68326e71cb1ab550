/** Opens a store to copy from or to. A store for copies need not be able to run workflows. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { InputError, type StateStore } from "@runledger/contracts";
import { environmentWithKeys } from "@runledger/runtime/config/environment";
import { snowflakeCredentials } from "@runledger/runtime/config/snowflake-credentials";
import { embeddedFolder } from "@runledger/runtime/config/store-url";
import { encryptedStore } from "@runledger/runtime/encryption/encrypted-store";
import { resolveEncryption } from "@runledger/runtime/encryption/resolve-encryption";
import type { RunledgerConfig } from "../../config/define-config.js";
import { openLedger } from "./open-ledger.js";

export interface OpenedStore extends AsyncDisposable {
  readonly store: StateStore & Required<Pick<StateStore, "archive" | "copies">>;
}

export const isSnowflake = (url: string): boolean => url.startsWith("snowflake:");

interface OpenOptions extends Pick<RunledgerConfig, "encryption" | "artifacts"> {
  /** `true` if a missing folder is an error, instead of being created. */
  readonly mustExist: boolean;
}

export async function openStore(url: string, { mustExist, ...options }: OpenOptions): Promise<OpenedStore> {
  if (isSnowflake(url)) return openSnowflake(url, options);
  if (mustExist) requireStore(url);
  return openLedger(url, options);
}

/** Throws if an embedded store does not exist: commands that only read never create a database. */
export function requireStore(url: string): void {
  const folder = embeddedFolder(url);
  if (folder === null || existsSync(resolve(folder))) return;
  throw new InputError(
    "STORE_URL_INVALID",
    "store",
    `${folder} does not exist. Run runledger dev to create it, or use another store with --store.`,
  );
}

/** Loads the Snowflake adapter only if a URL needs it. */
async function openSnowflake(url: string, { encryption }: Omit<OpenOptions, "mustExist">): Promise<OpenedStore> {
  const { loadSnowflakeStore } = await import("@runledger/runtime/ledger/load-optional-store");
  const { SnowflakeStore } = await loadSnowflakeStore();
  const keys = resolveEncryption(encryption, environmentWithKeys());
  const opened = await SnowflakeStore.open({ url, ...snowflakeCredentials(process.env) });
  const store = keys === null ? opened : await encryptedStore(opened, keys);
  return { store, [Symbol.asyncDispose]: () => store.close() };
}
