import { readFileSync } from "node:fs";
import { InputError, omitUndefined } from "@runledger/contracts";
import type { EncryptionOptions } from "./keyring.js";
import { invalidKeys } from "./payload-keys.js";

/** Encrypts payloads before they reach the store. The keys come from one of the sources. */
export interface EncryptionSettings extends Omit<EncryptionOptions, "keys"> {
  /** The keys as text. RUNLEDGER_ENCRYPTION_KEYS takes precedence. Keep them out of files that you share. */
  readonly keys?: string;
  /** A file with the keys. RUNLEDGER_ENCRYPTION_KEYS_FILE takes precedence. */
  readonly keysFile?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns `null` if nothing is to be encrypted. */
export function resolveEncryption(
  settings: EncryptionSettings | undefined,
  environment: Environment,
): EncryptionOptions | null {
  const keys = keysFrom(environment["RUNLEDGER_ENCRYPTION_KEYS"], environment["RUNLEDGER_ENCRYPTION_KEYS_FILE"]);
  const found = keys ?? keysFrom(settings?.keys, settings?.keysFile);
  if (found === null && settings === undefined) return null;
  if (found === null) throw invalidKeys("encryption.keys", "There is no key.");
  const { kms, lostKeys } = settings ?? {};
  return { keys: found, ...omitUndefined({ kms, lostKeys }) };
}

function keysFrom(text = "", file = ""): string | null {
  if (text !== "") return text;
  return file === "" ? null : readKeys(file);
}

function readKeys(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code = "" } = error as { code?: string };
    throw new InputError("OPTION_INVALID", "encryption.keysFile", `${file} cannot be read (${code}). Check the path.`);
  }
}
