/** Peak memory of a process that streams an object. */
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { capture } from "../../../scripts/lib/spawn.mjs";
import type { Location } from "./location.js";

const CHILD = fileURLToPath(new URL("../stream-process.mjs", import.meta.url));
/** Buffers of a few parts, the SDK, and garbage that is not collected yet. */
const MAX_GROWTH_BYTES = 160 * 1024 * 1024;

export function flatMemory(location: Location, bytes: number): void {
  test(`memory stays flat while ${bytes / 1024 / 1024} MB are written and read`, async () => {
    const key = `run/art_${randomUUID().replaceAll("-", "")}/rows`;
    const [written, read] = [
      await streamed("write", location, key, bytes),
      await streamed("read", location, key, bytes),
    ];
    expect(written.grownKilobytes * 1024).toBeLessThan(MAX_GROWTH_BYTES);
    expect(read.grownKilobytes * 1024).toBeLessThan(MAX_GROWTH_BYTES);
    expect(read.sha256).toBe(written.sha256);
  });
}

async function streamed(mode: string, { url }: Location, key: string, bytes: number) {
  const args = [CHILD, mode, url(), key, String(bytes)];
  const { code, stdout, stderr } = await capture(process.execPath, args, { timeoutMs: 3_000_000 });
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as { readonly grownKilobytes: number; readonly sha256: string };
}
