/** Sorts by time: 48 bits of milliseconds, then chance. */
export function newId(prefix: string): string {
  const time = Date.now().toString(16).padStart(12, "0");
  const chance = crypto.getRandomValues(new Uint8Array(10));
  return `${prefix}_${time}${Array.from(chance, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
