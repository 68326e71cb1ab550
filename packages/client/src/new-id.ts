/** Chance for many ids is drawn at once: a single drawing takes longer than all the rest of an id. */
const POOL = new Uint8Array(1000);
const EACH = 10;
let used = POOL.length;

/** Sorts by time: 48 bits of milliseconds, then 80 of chance. */
export function newId(prefix: string): string {
  if (used === POOL.length) {
    crypto.getRandomValues(POOL);
    used = 0;
  }
  const chance = POOL.subarray(used, (used += EACH));
  const time = Date.now().toString(16).padStart(12, "0");
  return `${prefix}_${time}${Array.from(chance, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
