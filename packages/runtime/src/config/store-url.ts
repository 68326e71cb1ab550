import { resolve } from "node:path";
import { InputError } from "@runledger/contracts";

const EMBEDDED = "embedded:";
const DEFAULT_FOLDER = ".runledger";

export interface StoreChoice {
  /** The option of the command line or of the call. */
  readonly option?: string | undefined;
  /** The store of the project's configuration. */
  readonly config?: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder to which the configured and the default folder are relative. */
  readonly root: string;
}

/** Option, then RUNLEDGER_STORE, then the configuration, then the embedded default; but not in production. */
export function resolveStoreUrl({ option, config, environment, root }: StoreChoice): string {
  const said = [option, environment["RUNLEDGER_STORE"]].find(isSaid);
  if (said !== undefined) return said;
  if (!isSaid(config) && environment["NODE_ENV"] === "production") throw notChosen();
  const url = isSaid(config) ? config : EMBEDDED;
  const folder = embeddedFolder(url);
  return folder === null ? url : EMBEDDED + resolve(root, folder);
}

/** Returns `null` if it is not an embedded store. */
export function embeddedFolder(url: string): string | null {
  return url.startsWith(EMBEDDED) ? url.slice(EMBEDDED.length) || DEFAULT_FOLDER : null;
}

/** Removes the password for display, even if it is not encoded or is a parameter. */
export function withoutPassword(url: string): string {
  return url.replace(/^([a-z]+:\/\/[^:@/]*):[^?#]*@/i, "$1@").replaceAll(/([?&]\w*pass\w*=)[^&#]*/gi, "$1…");
}

function isSaid(url: string | undefined): url is string {
  return url !== undefined && url !== "";
}

function notChosen(): InputError {
  return new InputError(
    "STORE_NOT_CHOSEN",
    "store",
    "NODE_ENV is production and no store was named; pass --store postgres://…, or set RUNLEDGER_STORE.",
  );
}
