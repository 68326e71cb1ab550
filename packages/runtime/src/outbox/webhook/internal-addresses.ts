/** Decides which addresses a webhook may call. Everything that is not a public address is refused unless it is allowed. */
import { BlockList, isIP } from "node:net";
import { InputError } from "@runledger/contracts";

/** Special-purpose addresses (IANA registries), and ways to write an IPv4 address as IPv6. */
const INTERNAL = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "::/96",
  "::ffff:0:0:0/96",
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "100::/64",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
  "5f00::/16",
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
];

const internal = listOf(INTERNAL);

/** Returns `true` if the address must not be called. */
export function isRefused(address: string, allowed: BlockList): boolean {
  const plain = withoutMapping(address);
  const family = isIP(plain) === 6 ? "ipv6" : "ipv4";
  return isIP(plain) === 0 || (internal.check(plain, family) && !allowed.check(plain, family));
}

/** `::ffff:a.b.c.d` reaches the IPv4 address. */
function withoutMapping(address: string): string {
  const dotted = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (dotted !== undefined) return dotted;
  const hex = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address);
  if (hex === null) return address;
  const [high, low] = [Number.parseInt(hex[1]!, 16), Number.parseInt(hex[2]!, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** Reads addresses and subnets such as `10.0.0.0/8`. */
export function listOf(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = "", bits] = entry.split("/");
    const version = isIP(address);
    const most = version === 6 ? 128 : 32;
    const prefix = bits === undefined ? most : Number(bits);
    if (version === 0 || !Number.isInteger(prefix) || prefix < 0 || prefix > most)
      throw new InputError("OPTION_INVALID", "allowAddresses", `${entry} is neither an address nor a subnet.`);
    list.addSubnet(address, prefix, version === 6 ? "ipv6" : "ipv4");
  }
  return list;
}
