/** Which desk a command works at: the server that was named, or the store that was meant. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { RunledgerClient } from "@runledger/client";
import { InputError } from "@runledger/contracts";
import { embeddedFolder } from "../../config/store-url.js";
import { tokenFolder } from "../../config/token-folder.js";
import { openLedger } from "../open-ledger.js";
import { chosenStore, project, projectIfAny, serverUrl, type GlobalOptions } from "../session.js";
import type { Desk } from "./desk.js";

export interface DeskOptions extends GlobalOptions {
  readonly tenant?: string;
}

export interface DeskNeeds {
  /** Whoever only looks never makes a database: it must be there already, unless this is said. */
  readonly create?: boolean;
  /** What is wrong with the project is told before a database is asked for. */
  readonly project?: boolean;
}

export async function withDesk<T>(
  options: DeskOptions,
  action: (desk: Desk) => Promise<T>,
  needs: DeskNeeds = {},
): Promise<T> {
  const server = serverUrl(options);
  await using desk = server === null ? await storeDesk(options, needs) : await serverDesk(server, options);
  return await action(desk);
}

async function storeDesk(
  options: DeskOptions,
  { create = false, project: needsProject = false }: DeskNeeds,
): Promise<Desk> {
  const url = await chosenStore(options);
  const folder = embeddedFolder(url);
  if (folder !== null && !create && !existsSync(resolve(folder)))
    throw new InputError(
      "STORE_URL_INVALID",
      "store",
      `nothing is stored in ${folder} yet; start with runledger dev, or name another store with --store.`,
    );
  const needed = once(() => project(options));
  if (needsProject) await needed();
  const { StoreDesk } = await import("./store-desk.js");
  return new StoreDesk({
    ledger: await openLedger(url),
    project: once(() => projectIfAny(options)),
    projectNeeded: needed,
    tenantId: options.tenant,
  });
}

async function serverDesk(url: string, options: DeskOptions): Promise<Desk> {
  const { ServerDesk } = await import("./server-desk.js");
  return new ServerDesk(await clientOf(url, options));
}

export async function clientOf(url: string, options: DeskOptions): Promise<RunledgerClient> {
  const { RunledgerClient } = await import("@runledger/client");
  const token = options.key ?? said("RUNLEDGER_KEY") ?? (await localToken(url, options));
  const { tenant } = options;
  return new RunledgerClient({
    url,
    ...(token === null ? {} : { token }),
    ...(tenant === undefined ? {} : { tenant }),
  });
}

/** A server on this machine takes the token of its data directory. */
async function localToken(url: string, options: DeskOptions): Promise<string | null> {
  if (!/^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:|\/|$)/.test(url)) return null;
  const { LocalToken } = await import("../../server/access/local-token.js");
  return LocalToken.read(tokenFolder(await chosenStore(options), process.env));
}

function said(name: string): string | undefined {
  const value = process.env[name] ?? "";
  return value === "" ? undefined : value;
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => (made ??= make());
}
