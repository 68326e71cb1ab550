/** The options that every command accepts, and the project, store and server that they select. */
import { resolve } from "node:path";
import { InputError, omitUndefined } from "@runledger/contracts";
import type { RunledgerConfig } from "../config/define-config.js";
import { findConfig } from "../config/find-config.js";
import type { Project } from "../config/load-project.js";
import { ModuleLoader } from "../config/module-loader.js";
import { resolveArchive } from "../config/resolve-archive.js";
import { resolveArtifacts } from "../config/resolve-artifacts.js";
import { resolveStoreUrl } from "@runledger/runtime/config/store-url";

export interface GlobalOptions {
  readonly store?: string;
  /** URL of a server to use instead of a store. */
  readonly server?: string;
  readonly key?: string;
  readonly config?: string;
  readonly json?: boolean;
  /** Omits hints. */
  readonly quiet?: boolean;
  /** `false` prints without colors. */
  readonly color?: boolean;
}

interface StoreSource {
  readonly config?: RunledgerConfig;
  /** Folder of the configuration. Its paths, and the default store, are relative to it. */
  readonly root?: string;
}

function configLookup(options: GlobalOptions) {
  return { cwd: process.cwd(), file: options.config, production: process.env["NODE_ENV"] === "production" };
}

export async function loadProject(options: GlobalOptions): Promise<Project> {
  const { loadProject: load } = await import("../config/load-project.js");
  const project = await load(configLookup(options));
  reportConfig(options, project);
  for (const pattern of project.unmatched)
    process.stderr.write(`warning  The pattern ${pattern} in ${project.configFile} matches no file.\n`);
  return project;
}

/** Names a configuration that was found in a folder above, because its code runs. */
function reportConfig({ config, quiet, json }: GlobalOptions, { configFile, root }: Project): void {
  if (config !== undefined || quiet === true || json === true || root === process.cwd()) return;
  process.stderr.write(`Configuration: ${configFile}\n`);
}

/**
 * Returns `null` if there is no configuration. One that was named or found must load, because it may contain the settings
 * that protect a server.
 */
export async function findProject(options: GlobalOptions): Promise<Project | null> {
  return findConfigFile(options) === null ? null : loadProject(options);
}

/** For commands that work without the project's code. Returns `null` if it cannot be loaded and the user did not name it. */
export async function findUsableProject(options: GlobalOptions): Promise<Project | null> {
  return findProject(options).catch((error: unknown) => {
    if (options.config !== undefined) throw error;
    return null;
  });
}

export function storeUrl(options: GlobalOptions, { config, root = process.cwd() }: StoreSource): string {
  return resolveStoreUrl({ option: options.store, config: config?.store, environment: process.env, root });
}

export async function resolveStore(options: GlobalOptions): Promise<string> {
  return storeUrl(options, await storeSource(options));
}

/**
 * Returns the archive of files that retention copies runs to. Reads the configuration even if the options name a store:
 * otherwise runs would be deleted without a copy.
 */
export async function resolveArchivePlace(options: GlobalOptions): Promise<string | undefined> {
  const file = findConfigFile(options);
  const root = file === null ? process.cwd() : resolve(file, "..");
  const config = file === null ? undefined : (await loadConfigFile(file)).archive;
  return resolveArchive({ config, environment: process.env, root });
}

/**
 * Returns the encryption and the artifacts of the configuration. A configuration that does not load is an error. If the user
 * named the store, it is only reported: the command may not need the project, and both can come from the environment.
 */
export async function storeOptions(options: GlobalOptions): Promise<Pick<RunledgerConfig, "encryption" | "artifacts">> {
  try {
    const file = findConfigFile(options);
    if (file === null) return {};
    const { loadConfig } = await import("../config/load-config.js");
    return storeOptionsOf({ config: await loadConfig(new ModuleLoader(), file), root: resolve(file, "..") });
  } catch (error) {
    if (options.config !== undefined || !isStoreNamed(options)) throw error;
    process.stderr.write(
      "warning  The configuration cannot be loaded. Encryption keys and artifacts that it names are not used.\n",
    );
    return {};
  }
}

/** Empty without a configuration: `connect` reads the environment itself. */
export function storeOptionsOf(
  project: { readonly config: RunledgerConfig; readonly root: string } | null | undefined,
): Pick<RunledgerConfig, "encryption" | "artifacts"> {
  if (project === null || project === undefined) return {};
  const { config, root } = project;
  const artifacts = resolveArtifacts({ config: config.artifacts, environment: process.env, root });
  return omitUndefined({ encryption: config.encryption, artifacts });
}

/** `null` if the options select a store. Options take precedence over environment variables. */
export function serverUrl({ server, store }: GlobalOptions): string | null {
  if (server !== undefined && store !== undefined)
    throw new InputError("OPTION_INVALID", "--server", "cannot be combined with --store. Use one of them.");
  const url = server ?? (store === undefined ? process.env["RUNLEDGER_SERVER"] : undefined) ?? "";
  if (url === "") return null;
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return url;
  throw new InputError("OPTION_INVALID", "--server", `${url} is not a URL. Use one such as http://127.0.0.1:7373.`);
}

/** For commands that work on a store only. */
export function refuseServer({ server }: GlobalOptions, command: string): void {
  if (server !== undefined)
    throw new InputError("OPTION_INVALID", "--server", `${command} works on a store. Use --store instead.`);
}

function isStoreNamed({ store }: GlobalOptions): boolean {
  return store !== undefined || (process.env["RUNLEDGER_STORE"] ?? "") !== "";
}

async function storeSource(options: GlobalOptions): Promise<StoreSource> {
  if (isStoreNamed(options)) return {};
  const file = findConfigFile(options);
  if (file === null) return {};
  return { config: await loadConfigFile(file), root: resolve(file, "..") };
}

async function loadConfigFile(file: string): Promise<RunledgerConfig> {
  const { loadConfig } = await import("../config/load-config.js");
  return await loadConfig(new ModuleLoader(), file);
}

function findConfigFile(options: GlobalOptions): string | null {
  try {
    return findConfig(configLookup(options));
  } catch (error) {
    const isMissing = error instanceof InputError && error.code === "CONFIG_NOT_FOUND";
    if (!isMissing || options.config !== undefined) throw error; // a file was found, or the user named one
    return null;
  }
}
