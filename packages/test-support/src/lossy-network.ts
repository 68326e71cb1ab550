/**
 * A PostgreSQL in its own network namespace, reached over two links. One of them can lose every packet, in both
 * directions and without a sign: no reset, no unreachable host, no lost carrier. Needs root. The namespace has no name, so
 * that it disappears with its process.
 */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { isOnPath } from "../../../scripts/lib/on-path.mjs";
import { inRepository } from "../../../scripts/lib/repository.mjs";
import { requireTool, type Requirement } from "./requirements.js";
import { unpackDebian, type DebianProgram } from "./debian-packages.js";

const iproute: DebianProgram = ["iproute2", "libbpf1", "libelf1", "libmnl0", "libbsd0", "libmd0", "libcap2"];

/** Without `ip`, the Debian package is unpacked into the cache folder. */
export const requireNamespaces: readonly Requirement[] = [
  requireTool("unshare"),
  requireTool("nsenter"),
  () => (isOnPath("ip") || isOnPath("apt-get") ? null : "ip is not installed"),
  () => (canUnshare() ? null : "this user may not create network namespaces"),
];

export interface LossyNetwork {
  /** Leads over the link that can lose packets. */
  readonly url: string;
  /** Leads over the other link. */
  readonly steadyUrl: string;
  /** Loses all packets from now on. */
  drop(): void;
  restore(): void;
  stop(): Promise<void>;
}

export async function startLossyNetwork(): Promise<LossyNetwork> {
  const ip = await ipCommand();
  const program = inRepository("packages/test-support/src/namespaced-postgres.mjs");
  const child = spawn("unshare", ["--net", process.execPath, program], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  try {
    await lines.next(); // it is in its namespace now
    const [lossy, steady] = [0, 1].map((index) => connectTo(ip, child.pid!, index));
    child.stdin.write("start\n");
    const url = new URL((await lines.next()).value as string);
    const over = (link: Link): string => Object.assign(new URL(url), { hostname: link.far }).href;
    let isDropping = false;
    const turn = (isOn: boolean): void => {
      if (isOn && !isDropping) ip.both(lossy!, "replace", ...NOWHERE);
      if (!isOn && isDropping) ip.both(lossy!, "del");
      isDropping = isOn;
    };
    return {
      url: over(lossy!),
      steadyUrl: over(steady!),
      drop: () => turn(true),
      restore: () => turn(false),
      stop: async () => {
        await end(child);
        for (const { device } of [lossy!, steady!]) remove(ip, device);
      },
    };
  } catch (error) {
    await end(child);
    throw error;
  }
}

/** A frame to this address arrives at no host, and the system does not search for the right one. */
const NOWHERE = ["lladdr", "02:00:00:00:00:01", "nud", "permanent"];

interface Link {
  readonly pid: number;
  readonly device: string;
  /** Our address, and the server's. */
  readonly near: string;
  readonly far: string;
}

interface Ip {
  here(...args: readonly string[]): void;
  inside(pid: number, ...args: readonly string[]): void;
  /** Changes the neighbor entry of the other side, on both sides. */
  both(link: Link, verb: string, ...args: readonly string[]): void;
}

/** The addresses are of the range for tests of networks, and differ between processes. */
function connectTo(ip: Ip, pid: number, index: number): Link {
  const [device, block] = [`rl${pid}-${index}`, `198.18.${(pid >> 5) & 255}`];
  const start = (pid & 31) * 8 + index * 4;
  const link = { pid, device, near: `${block}.${start + 1}`, far: `${block}.${start + 2}` };
  ip.here("link", "add", device, "type", "veth", "peer", "name", device, "netns", String(pid));
  ip.here("addr", "add", `${link.near}/30`, "dev", device);
  ip.inside(pid, "addr", "add", `${link.far}/30`, "dev", device);
  ip.here("link", "set", device, "up");
  ip.inside(pid, "link", "set", device, "up");
  return link;
}

/** The system removes a link with its namespace, but sockets may keep that alive for minutes. */
function remove(ip: Ip, device: string): void {
  try {
    ip.here("link", "del", device);
  } catch (error) {
    if (!String(error).includes("Cannot find device")) throw error;
  }
}

async function ipCommand(): Promise<Ip> {
  const unpacked = isOnPath("ip") ? null : await unpackDebian(iproute);
  const ip = unpacked === null ? "ip" : `${unpacked.root}/bin/ip`;
  const options = { env: { ...process.env, ...unpacked?.env }, stdio: "pipe" as const };
  const here: Ip["here"] = (...args) => void execFileSync(ip, args, options);
  const inside: Ip["inside"] = (pid, ...args) =>
    void execFileSync("nsenter", ["--target", String(pid), "--net", ip, ...args], options);
  return {
    here,
    inside,
    both: ({ pid, device, near, far }, verb, ...args) => {
      here("neigh", verb, far, "dev", device, ...args);
      inside(pid, "neigh", verb, near, "dev", device, ...args);
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.stdin!.end();
  await once(child, "exit");
}

function canUnshare(): boolean {
  try {
    execFileSync("unshare", ["--net", "true"], { stdio: "ignore" });
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
}
