/** Opens the backend that the options select: a server, or a store. */
import type { RunledgerClient } from "@runledger/client";
import { omitUndefined } from "@runledger/contracts";
import type { Ledger, LedgerOptions } from "@runledger/runtime/ledger/ledger";
import { tokenFolder } from "../../config/token-folder.js";
import { openLedger } from "./open-ledger.js";
import { requireStore } from "./open-store.js";
import { requireRunledger } from "./require-runledger.js";
import { storeEngine } from "./store-engine.js";
import {
  storeOptions,
  findUsableProject,
  loadProject,
  resolveStore,
  serverUrl,
  type GlobalOptions,
} from "../global-options.js";
import type { Backend } from "./backend.js";

export interface BackendOptions extends GlobalOptions {
  readonly tenant?: string;
}

export interface BackendNeeds {
  /** Creates the store if it does not exist. Commands that only read never create a database. */
  readonly create?: boolean;
  /** Loads the project first, so that its errors are reported before a database is opened. */
  readonly project?: boolean;
}

export async function withBackend<T>(
  options: BackendOptions,
  action: (backend: Backend) => Promise<T>,
  needs: BackendNeeds = {},
): Promise<T> {
  const server = serverUrl(options);
  await using backend =
    server === null ? await openStoreBackend(options, needs) : await openServerBackend(server, options);
  return await action(backend);
}

async function openStoreBackend(
  options: BackendOptions,
  { create = false, project: needsProject = false }: BackendNeeds,
): Promise<Backend> {
  const url = await resolveStore(options);
  if (!create) requireStore(url);
  const requireProject = once(() => loadProject(options));
  if (needsProject) await requireProject();
  const { StoreBackend } = await import("./store-backend.js");
  return new StoreBackend({
    ledger: await openLedger(url, await ledgerOptions(url, options)),
    project: once(() => findUsableProject(options)),
    requireProject,
    tenantId: options.tenant,
  });
}

async function openServerBackend(url: string, options: BackendOptions): Promise<Backend> {
  const { ServerBackend } = await import("./server-backend.js");
  return new ServerBackend(await connectClient(url, options));
}

/** Opens a store that must exist. */
export async function withLedger<T>(options: GlobalOptions, action: (ledger: Ledger) => Promise<T>): Promise<T> {
  const url = await resolveStore(options);
  requireStore(url);
  await using ledger = await openLedger(url, await ledgerOptions(url, options));
  return await action(ledger);
}

/** Creates a client of a server that responds as Runledger does. */
export async function connectClient(url: string, options: BackendOptions): Promise<RunledgerClient> {
  const client = await createClient(url, options);
  await requireRunledger(url, client);
  return client;
}

export async function createClient(url: string, options: BackendOptions): Promise<RunledgerClient> {
  const { RunledgerClient } = await import("@runledger/client");
  const token = options.key ?? environmentVariable("RUNLEDGER_KEY") ?? (await localToken(url, options));
  const { tenant } = options;
  return new RunledgerClient({
    url,
    ...(token === null ? {} : { token }),
    ...omitUndefined({ tenant }),
  });
}

const LOCAL_NAMES = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** A server on this machine accepts the token in its data directory. The host is parsed: `http://127.0.0.1:x@host/` is another one. */
async function localToken(url: string, options: BackendOptions): Promise<string | null> {
  const { hostname, username, password } = new URL(url);
  if (!LOCAL_NAMES.has(hostname) || username !== "" || password !== "") return null;
  const { LocalToken } = await import("@runledger/server/setup");
  return LocalToken.read(tokenFolder(await resolveStore(options), process.env));
}

function environmentVariable(name: string): string | undefined {
  const value = process.env[name] ?? "";
  return value === "" ? undefined : value;
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => (made ??= make());
}

async function ledgerOptions(url: string, options: GlobalOptions): Promise<LedgerOptions> {
  return { ...(await storeEngine(url, options)), ...(await storeOptions(options)) };
}
