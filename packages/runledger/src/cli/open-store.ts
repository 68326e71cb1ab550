/** Stores that a command copies from or to. Not all of them can run anything. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { InputError, type StateStore } from "@runledger/contracts";
import { embeddedFolder } from "../config/store-url.js";
import { openLedger } from "./open-ledger.js";

export interface OpenedStore extends AsyncDisposable {
  readonly store: StateStore & Required<Pick<StateStore, "archive" | "copies">>;
}

export const isSnowflake = (url: string): boolean => url.startsWith("snowflake:");

/** `mustExist`: a folder that is not there yet is not made. */
export async function openStore(url: string, { mustExist }: { readonly mustExist: boolean }): Promise<OpenedStore> {
  if (isSnowflake(url)) return openSnowflake(url);
  const folder = embeddedFolder(url);
  if (mustExist && folder !== null && !existsSync(resolve(folder)))
    throw new InputError("STORE_URL_INVALID", "store", `nothing is stored in ${folder} yet.`);
  return openLedger(url);
}

/** Loaded only here: it is of no use to those who do not have one. */
async function openSnowflake(url: string): Promise<OpenedStore> {
  const { SnowflakeStore } = await import("@runledger/store-snowflake");
  const store = await SnowflakeStore.open({ url, ...snowflakeCredentials(process.env) });
  return { store, [Symbol.asyncDispose]: () => store.close() };
}

/** Secrets belong in the environment, not in an address that is typed and kept in a shell's history. */
function snowflakeCredentials(environment: Readonly<Record<string, string | undefined>>) {
  const named = {
    password: environment["SNOWFLAKE_PASSWORD"],
    privateKeyPath: environment["SNOWFLAKE_PRIVATE_KEY_PATH"],
    privateKeyPassphrase: environment["SNOWFLAKE_PRIVATE_KEY_PASSPHRASE"],
    token: environment["SNOWFLAKE_TOKEN"],
  };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined && value !== ""));
}
