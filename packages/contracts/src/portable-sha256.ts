/** Hashes without the platform, for browsers and sandboxes. The build bundles the library into this module. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

export function portableSha256(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}
