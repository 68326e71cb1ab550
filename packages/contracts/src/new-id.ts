declare const crypto: { getRandomValues(bytes: Uint8Array): unknown };

/** Random bytes for many ids. One call to `getRandomValues` takes longer than the rest of an id. */
const POOL = new Uint8Array(1000);
const BYTES_PER_ID = 10;
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
let used = POOL.length;

/** Returns an id that sorts by time: the prefix, 48 bits of milliseconds, then 80 random bits. */
export function newId(prefix: string): string {
  if (used === POOL.length) {
    crypto.getRandomValues(POOL);
    used = 0;
  }
  const end = used + BYTES_PER_ID;
  let id = `${prefix}_${Date.now().toString(16).padStart(12, "0")}`;
  while (used < end) id += HEX[POOL[used++]!];
  return id;
}
