/** What a command works with: the store that was meant, and the project it was called in. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { InputError } from "@runledger/contracts";
import type { RunledgerConfig } from "../config/define-config.js";
import { findConfig } from "../config/find-config.js";
import type { Project } from "../config/load-project.js";
import { ModuleLoader } from "../config/module-loader.js";
import { embeddedFolder, resolveStoreUrl } from "../config/store-url.js";
import type { Ledger } from "../ledger/ledger.js";
import { openLedger } from "./open-ledger.js";

/** The options that every command has. */
export interface GlobalOptions {
  readonly store?: string;
  /** Where a server is, in place of a store. */
  readonly server?: string;
  readonly key?: string;
  readonly config?: string;
  readonly json?: boolean;
}

interface StoreSource {
  readonly config?: RunledgerConfig;
  /** Where the configuration stands: what it names, and the default, is relative to it. */
  readonly root?: string;
}

function whereToLook(options: GlobalOptions) {
  return { cwd: process.cwd(), file: options.config, production: process.env["NODE_ENV"] === "production" };
}

export async function project(options: GlobalOptions): Promise<Project> {
  const { loadProject } = await import("../config/load-project.js");
  return loadProject(whereToLook(options));
}

/** For what is only shown better with a project: null where there is none, or it cannot be loaded. */
export async function projectIfAny(options: GlobalOptions): Promise<Project | null> {
  try {
    return await project(options);
  } catch {
    return null;
  }
}

export function storeUrl(options: GlobalOptions, { config, root = process.cwd() }: StoreSource): string {
  return resolveStoreUrl({ option: options.store, config: config?.store, environment: process.env, root });
}

export async function chosenStore(options: GlobalOptions): Promise<string> {
  return storeUrl(options, await storeSource(options));
}

/** Null = a store is meant. What is typed comes before what is set. */
export function serverUrl({ server, store }: GlobalOptions): string | null {
  if (server !== undefined && store !== undefined)
    throw new InputError("OPTION_INVALID", "--server", "name a server or a store, not both.");
  const said = server ?? (store === undefined ? process.env["RUNLEDGER_SERVER"] : undefined) ?? "";
  if (said === "") return null;
  if (/^https?:\/\//.test(said) && URL.canParse(said)) return said;
  throw new InputError("OPTION_INVALID", "--server", `is ${said}; write it as http://127.0.0.1:7373.`);
}

/** For what is done on the store itself: a server cannot. */
export function refuseServer({ server }: GlobalOptions, what: string): void {
  if (server !== undefined)
    throw new InputError("OPTION_INVALID", "--server", `${what} works on a store; name it with --store.`);
}

/** A store that must be there already: looking at a run never makes a database. */
export async function withLedger<T>(options: GlobalOptions, action: (ledger: Ledger) => Promise<T>): Promise<T> {
  const url = await chosenStore(options);
  const folder = embeddedFolder(url);
  if (folder !== null && !existsSync(resolve(folder)))
    throw new InputError(
      "STORE_URL_INVALID",
      "store",
      `nothing is stored in ${folder} yet; start with runledger dev, or name another store with --store.`,
    );
  await using ledger = await openLedger(url);
  return await action(ledger);
}

async function storeSource(options: GlobalOptions): Promise<StoreSource> {
  if (options.store !== undefined || (process.env["RUNLEDGER_STORE"] ?? "") !== "") return {};
  const file = configFileIfAny(options);
  if (file === null) return {};
  const { loadConfig } = await import("../config/load-config.js");
  return { config: await loadConfig(new ModuleLoader(), file), root: resolve(file, "..") };
}

function configFileIfAny(options: GlobalOptions): string | null {
  try {
    return findConfig(whereToLook(options));
  } catch (error) {
    if (options.config !== undefined) throw error; // it was named
    return null;
  }
}
