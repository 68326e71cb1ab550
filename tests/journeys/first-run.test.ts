// @module-tag L-06
import { spawn } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { runledger, startNpmStart } from "@runledger/test-support/runledger-command";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "runledger-first-run-"));
  await chmod(folder, 0o755);
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }));

/** Runs the example. With `killAt`, it is killed as soon as it prints that text. */
async function record(killAt?: string): Promise<{ output: string; code: number | null; signal: string | null }> {
  const program = inRepository("examples/first-run/dist/main.js");
  const child = spawn(process.execPath, [program, join(folder, "data")]);
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    if (killAt !== undefined && output.includes(killAt)) child.kill("SIGKILL");
  });
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.on("close", (...ended) => resolve(ended)),
  );
  return { output, code, signal };
}

test("the example records a run and prints it, and the second start finds it", async () => {
  const first = await record();
  expect(first).toMatchObject({ code: 0 });
  expect(first.output).toContain("Appended 7 events: 7 new, 0 already stored.");
  expect(first.output).toMatch(/1 {2}RunQueued[\s\S]* 7 {2}RunCompleted[\s\S]*Snapshot[\s\S]*status: 'COMPLETED'/);
  const second = await record();
  expect(second.output).toContain("Found run run-first with 7 events from an earlier start.");
  expect(second.output).toContain("0 new, 7 already stored");
});

test("after kill -9 the next start and npm start find every acknowledged event", async () => {
  const killed = await record("Appended 7 events: 7 new");
  expect(killed.signal).toBe("SIGKILL");
  const next = await record();
  expect(next.output).toContain("Found run run-first with 7 events");
  expect(next.output).toContain("0 new, 7 already stored");
  const store = `embedded:${join(folder, "data")}`;
  const product = startNpmStart("--port", "0", "--store", store);
  await product.says("Stop ");
  const { stdout } = await runledger({ cwd: folder }, "events", "run-first", "--store", store);
  expect(stdout).toMatch(/7 .*RunCompleted/);
  product.kill("SIGKILL");
  await product.ended;
});
