const RESERVED: ReadonlySet<string> = new Set(["local", "unknown", "anonymous", "command line", "runledger"]);

/** Returns true if Runledger uses the name for callers without a key, in any spelling. */
export function isReservedName(name: string): boolean {
  return RESERVED.has(name.normalize("NFKC").trim().toLowerCase());
}
