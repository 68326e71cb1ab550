import { spawn } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { inRepository } from "../../scripts/lib/repository.mjs";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "runledger-first-run-"));
  await chmod(folder, 0o755);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** `npm start`; with `killAt` the whole process group is killed as soon as it prints that. */
async function start(killAt?: string): Promise<{ output: string; code: number | null; signal: string | null }> {
  const child = spawn("npm", ["start", "--", join(folder, "data")], { cwd: inRepository("."), detached: true });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    if (killAt !== undefined && output.includes(killAt)) process.kill(-child.pid!, "SIGKILL");
  });
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.on("close", (...ended) => resolve(ended)),
  );
  return { output, code, signal };
}

test(
  "[L-06] npm start records a small run and prints events and snapshot; the second start finds them",
  { timeout: 120_000 },
  async () => {
    const first = await start();
    expect(first).toMatchObject({ code: 0 });
    expect(first.output).toContain("Appended 7 events: 7 new, 0 already stored.");
    expect(first.output).toMatch(/1 {2}RunQueued[\s\S]* 7 {2}RunCompleted[\s\S]*Snapshot[\s\S]*status: 'COMPLETED'/);
    const second = await start();
    expect(second.output).toContain("Found run run-first with 7 events from an earlier start.");
    expect(second.output).toContain("0 new, 7 already stored");
  },
);

test(
  "[L-06] killed with -9 after the acknowledgement, the next start finds everything",
  { timeout: 120_000 },
  async () => {
    const killed = await start("Appended 7 events: 7 new");
    expect(killed.signal).toBe("SIGKILL");
    const next = await start();
    expect(next.output).toContain("Found run run-first with 7 events");
    expect(next.output).toContain("0 new, 7 already stored");
  },
);
