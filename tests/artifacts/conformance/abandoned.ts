import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { until } from "@runledger/test-support/until";
import { expect, onTestFinished, test } from "vitest";
import type { Location, Opened } from "./location.js";

const CHILD = fileURLToPath(new URL("../stream-process.mjs", import.meta.url));

export function abandonedParts({ storage }: Opened, location: Location): void {
  test("parts of a writer that was killed are removed once they are old, and parts of a failed writer at once", async () => {
    const key = "run/art_0ab/rows";
    async function* failing(): AsyncGenerator<Uint8Array> {
      for (let part = 0; part < 4; part++) yield new Uint8Array(8_400_000);
      throw new Error("no more");
    }
    await expect(storage()!.create({ key, content: failing() })).rejects.toThrow("no more");
    expect(await storage()!.removeAbandoned({ olderThanMs: 0 })).toBe(0);
    const child = spawn(process.execPath, [CHILD, "endless", location.url(), key], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let printed = "";
    child.stdout.on("data", (text: Buffer) => (printed += text.toString()));
    await until(() => printed.includes("sent"));
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await storage()!.sizeOf(key)).toBeNull();
    expect(await storage()!.removeAbandoned({ olderThanMs: 3_600_000 })).toBe(0);
    if (location.listsParts !== false)
      await until(async () => (await storage()!.removeAbandoned({ olderThanMs: 0 })) > 0);
    expect(await storage()!.removeAbandoned({ olderThanMs: 0 })).toBe(0);
    expect(await storage()!.sizeOf(key)).toBeNull();
  });
}
