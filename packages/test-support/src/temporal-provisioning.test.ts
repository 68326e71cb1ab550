// @module-tag T-22
/** The choice of a Temporal server, with tools that only leave traces. `tests/temporal/provisioning` uses real ones. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { inRepository } from "../../../scripts/lib/repository.mjs";
import { freshFolder } from "./runledger-command.js";
import { provisionTemporal, readyTemporal, requireAnyTemporal, requireTemporal } from "./temporal-provisioning.js";
import { TemporalServer } from "./temporal-server.js";

/** Scripts in place of the tools. Each appends its name to the file `calls`. */
const TOOLS = {
  go: 'echo "#!/bin/sh" > "$GOBIN/temporal"',
  java: "exit 0",
  mvn: 'for word in "$@"; do case "$word" in -DoutputDirectory=*) echo jar > "${word#*=}/server.jar" ;; esac; done',
};

let folder: string;
let cache: string;
let failures: unknown[];

beforeEach(() => {
  folder = freshFolder();
  cache = join(folder, "cache");
  failures = [];
  vi.stubEnv("RUNLEDGER_TEST_CACHE", cache);
  vi.stubEnv("RUNLEDGER_TEMPORAL", "");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** Makes these tools, and no others, available. */
function install(...names: readonly (keyof typeof TOOLS)[]): void {
  const bin = join(folder, "bin");
  mkdirSync(bin, { recursive: true });
  for (const name of names) script(join(bin, name), `echo ${name} >> ${join(folder, "calls")}\n${TOOLS[name]}`);
  vi.stubEnv("PATH", bin);
}

function script(path: string, body: string): string {
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

function calls(): readonly string[] {
  const file = join(folder, "calls");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

const provision = (): Promise<void> => provisionTemporal((error) => failures.push(error));

test("a configured program is preferred to everything else", async () => {
  install("go");
  const program = script(join(folder, "mine"), "");
  vi.stubEnv("RUNLEDGER_TEMPORAL", program);
  await provision();
  expect(readyTemporal()).toEqual({ kind: "program", program });
  expect(calls()).toEqual([]);
});

test("a configured program that does not exist is an error, not a reason to use another one", async () => {
  install("go");
  vi.stubEnv("RUNLEDGER_TEMPORAL", "/does/not/exist");
  await expect(provision()).rejects.toThrow("RUNLEDGER_TEMPORAL names /does/not/exist, which does not exist.");
});

test("Go builds the server once into the cache, which is outside of the repository", async () => {
  install("go");
  await provision();
  const program = join(cache, "temporal-cli-1.5.1", "temporal");
  expect(readyTemporal()).toEqual({ kind: "program", program });
  await provision();
  expect(calls()).toEqual(["go"]);
  vi.stubEnv("RUNLEDGER_TEST_CACHE", "");
  vi.stubEnv("RUNLEDGER_TEMPORAL", program);
  const { cachedPath } = await import("../../../scripts/lib/cache-folder.mjs");
  expect(cachedPath("any").startsWith(inRepository(""))).toBe(false);
});

test("an earlier build needs no Go", async () => {
  install("go");
  await provision();
  install();
  await provision();
  expect(requireTemporal()).toBeNull();
});

test("a failed build leaves nothing in the cache, and Java's test server serves the suites that can use it", async () => {
  install("java", "mvn");
  script(join(folder, "bin", "go"), 'echo half > "$GOBIN/temporal"\necho no network >&2\nexit 1');
  await provision();
  expect(failures.map(String)).toEqual([expect.stringContaining("no network")]);
  expect(readdirSync(cache)).toEqual(["temporal-test-server-1.38.0"]);
  expect(readyTemporal()).toEqual({ kind: "java", jars: join(cache, "temporal-test-server-1.38.0") });
  expect(requireAnyTemporal()).toBeNull();
  expect(requireTemporal()).toContain("Java's test server cannot list");
});

test("without any of them, suites are left out with the reason", async () => {
  install();
  await provision();
  expect(readyTemporal()).toBeNull();
  for (const require of [requireTemporal, requireAnyTemporal])
    expect(require()).toBe(
      "no Temporal server: set RUNLEDGER_TEMPORAL to a program, or install Go 1.25, or Java 17 and Maven",
    );
});

test("a test never builds a server: only the setup of a run does", async () => {
  install("go");
  await expect(TemporalServer.start()).rejects.toThrow("no Temporal server");
  expect(calls()).toEqual([]);
  expect(readFileSync(inRepository("vitest.config.ts"), "utf8")).toContain("prepare-temporal.ts");
});
