import { isIPv6 } from "node:net";
import { isLoopback } from "../auth/same-origin.js";

/**
 * Returns the subject of an address quota. One caller often has a whole IPv6 network of 64 bits. `null` on loopback: the
 * caller is on this machine, or a proxy that `trustProxy` does not name stands for all callers.
 */
export function addressSubject(ip: string): string | null {
  const address = ip.replace(/^::ffff:(?=\d+\.)/i, "");
  if (isLoopback(address)) return null;
  return isIPv6(address) ? networkOf(address) : address;
}

/** The first four of eight groups. */
function networkOf(address: string): string {
  const [head = "", tail] = address.split("%")[0]!.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: zeros }, () => "0"), ...after];
  return `${groups.slice(0, 4).join(":")}::/64`;
}
