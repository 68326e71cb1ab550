/** Folder of the local token: the data directory of an embedded store, or the user's state folder for other databases. */
import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { embeddedFolder } from "@runledger/runtime/config/store-url";

export function tokenFolder(url: string, environment: Readonly<Record<string, string | undefined>>): string {
  const folder = embeddedFolder(url);
  if (folder !== null) return resolve(folder);
  const configured = environment["XDG_STATE_HOME"] ?? "";
  const state = configured === "" ? join(homedir(), ".local", "state") : configured;
  return join(state, "runledger", createHash("sha256").update(databaseOf(url)).digest("hex").slice(0, 16));
}

/** Returns the URL without user, password and parameters, so that all users of a database get the same folder. */
function databaseOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
