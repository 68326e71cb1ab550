/** Where the token of a store's server is: in its data directory, or, for a database elsewhere, in the user's own state. */
import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { embeddedFolder } from "./store-url.js";

export function tokenFolder(url: string, environment: Readonly<Record<string, string | undefined>>): string {
  const folder = embeddedFolder(url);
  if (folder !== null) return resolve(folder);
  const said = environment["XDG_STATE_HOME"] ?? "";
  const state = said === "" ? join(homedir(), ".local", "state") : said;
  return join(state, "runledger", createHash("sha256").update(place(url)).digest("hex").slice(0, 16));
}

/** What names a database, whoever uses it. */
function place(url: string): string {
  if (!URL.canParse(url)) return url;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
