/** Secrets in files, as Kubernetes, Docker and systemd mount them. */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { checkSecret, type ISecretsProvider, type SecretRef, type SecretContext } from "@runledger/contracts";
import { misconfigured, notFound } from "./secret-errors.js";
import { firstOf, placesOf, resolveEach } from "./secret-places.js";

export interface FileSecretsOptions {
  /** The folder. It must exist when the first secret is resolved. */
  readonly folder: string;
}

/** Names that cannot leave their folder. */
const NAMING = { separator: "/", part: /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/ };
const MAX_BYTES = 64 * 1024;

/**
 * Reads each secret from a file when a step needs it, so that a changed file takes effect at once. The most specific file
 * counts: `tenants/acme/production/NAME`, then `tenants/acme/NAME`, then `NAME`, which all tenants share. Version 2 is the
 * file `NAME@2`. A line break at the end is not part of the value. A file that other users can read is refused.
 */
export class FileSecrets implements ISecretsProvider {
  readonly #folder: string;

  constructor({ folder }: FileSecretsOptions) {
    this.#folder = folder;
  }

  resolve(refs: readonly SecretRef[], whose: SecretContext): Promise<Record<string, string>> {
    return resolveEach(refs, (ref) => this.#value(ref, whose));
  }

  async #value({ name, version }: SecretRef, whose: SecretContext): Promise<string> {
    if (version !== undefined && !NAMING.part.test(version)) throw notFound(name, `has no version ${version}.`);
    const suffix = version === undefined ? "" : `@${version}`;
    const files = placesOf(name, whose, NAMING).map((place) => join(this.#folder, place + suffix));
    const text = await firstOf(files, readSecretFile);
    if (text !== null) return checkSecret(name, text);
    throw notFound(name, `has no file. Create ${files.at(-1)}, readable by its owner only.`);
  }
}

/** Returns `null` if there is no such file. Checks and reads through one handle, so that the file cannot be exchanged. */
async function readSecretFile(path: string): Promise<string | null> {
  const file = await open(path, "r").catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw misconfigured(path, `cannot be read (${code}). Let the user of the worker read it.`);
  });
  if (file === null) return null;
  try {
    const { mode, size } = await file.stat();
    if ((mode & 0o170000) !== 0o100000) return null;
    const shown = (mode & 0o777).toString(8);
    if ((mode & 0o027) !== 0)
      throw misconfigured(path, `has the mode ${shown}, so other users can read or change it. Run chmod 600 on it.`);
    if (size > MAX_BYTES) throw misconfigured(path, `has ${size} bytes. A secret has at most ${MAX_BYTES}.`);
    return (await file.readFile("utf8")).replace(/\r?\n$/, "");
  } finally {
    await file.close();
  }
}
