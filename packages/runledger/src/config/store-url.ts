import { resolve } from "node:path";
import { InputError } from "@runledger/contracts";

const EMBEDDED = "embedded:";
const DEFAULT_FOLDER = ".runledger";

export interface StoreChoice {
  /** What was said on the command line or in the call. */
  readonly option?: string | undefined;
  /** What the project's configuration says. */
  readonly config?: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What the configuration's folder, and the default one, are relative to. */
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

/** Null = it is no embedded store. */
export function embeddedFolder(url: string): string | null {
  return url.startsWith(EMBEDDED) ? url.slice(EMBEDDED.length) || DEFAULT_FOLDER : null;
}

/** For people to read: without the password, also where somebody forgot to encode it, or wrote it as a parameter. */
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
