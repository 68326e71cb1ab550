/** Keys as text: `id:base64` each, the newest first, separated by commas or lines. */
import { InputError } from "@runledger/contracts";

const KEY_BYTES = 32;

/** The keys that encrypt payloads. */
export interface PayloadKeys {
  /** The id of the key that encrypts. */
  readonly current: string;
  /** All keys by id. Each of them decrypts. */
  readonly keys: ReadonlyMap<string, Buffer>;
}

/** Throws if a key is malformed. Messages name keys by their position or id and never contain them. */
export function parsePayloadKeys(text: string, option = "payloadKeys"): PayloadKeys {
  const keys = parseKeyEntries(text, option);
  for (const [id, key] of keys) checkKey(id, key, option);
  const [current] = keys.keys();
  if (current === undefined) throw invalidKeys(option, "There is no key.");
  return { current, keys };
}

/** Returns the bytes of each entry by its id, in order. Wrapped keys have any length. */
export function parseKeyEntries(text: string, option: string): Map<string, Buffer> {
  const entries = text
    .split(/[,\n]/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const keys = new Map<string, Buffer>();
  for (const [at, entry] of entries.entries()) {
    const [id = "", encoded, ...rest] = entry.split(":");
    if (id === "" || encoded === undefined || rest.length > 0)
      throw invalidKeys(option, `Key ${at + 1} is not of the form id:base64.`);
    if (keys.has(id)) throw invalidKeys(option, `Key ${id} occurs twice.`);
    keys.set(id, Buffer.from(encoded, "base64"));
  }
  return keys;
}

export function checkKey(id: string, key: Uint8Array, option: string): void {
  if (key.length !== KEY_BYTES) throw invalidKeys(option, `Key ${id} has ${key.length} bytes instead of ${KEY_BYTES}.`);
}

export function invalidKeys(option: string, problem: string): InputError {
  return new InputError("OPTION_INVALID", option, `${problem} Create a key with openssl rand -base64 32.`);
}
