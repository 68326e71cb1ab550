/** Modules that a command loads. A short command spends most of its time on loading. */
import { expect, test } from "vitest";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { capture } from "../../scripts/lib/spawn.mjs";
import { bin, freshFolder } from "@runledger/test-support/runledger-command";

const asUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
const hook = `import { writeSync } from "node:fs";
export function load(url, context, next) { writeSync(2, "loads " + url + "\\n"); return next(url, context); }`;
const printLoadedModules = asUrl(`import { register } from "node:module"; register(${JSON.stringify(asUrl(hook))});`);

async function run(args: readonly string[], env: Record<string, string> = {}) {
  const ended = await capture(process.execPath, ["--import", printLoadedModules, bin, ...args], {
    cwd: inRepository("."),
    env: { XDG_CACHE_HOME: freshFolder(), ...env },
    timeoutMs: 240_000,
  });
  const loaded = [...ended.stderr.matchAll(/^loads .*\/(?:node_modules|packages)\/(.*)$/gm)].map(([, path]) => path!);
  return { ...ended, loaded, from: (what: RegExp) => loaded.filter((path) => what.test(path)) };
}

const STORES = /^(store-\w+|embedded|pg)\//;
const SERVER = /^(fastify|zod|console|server\/dist\/(index|app\/(server|routes)))\b/;
const ENGINE = /^runtime\/dist\/(engine|projector|scheduler|ledger)\//;

test("--version loads no command", async () => {
  const { code, stdout, loaded, from } = await run(["--version"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string });
  expect(loaded).toContain("runledger/dist/cli/program.js");
  expect(from(/-commands?\.js$|^contracts\/|^core\//)).toEqual([]);
});

test("--help loads every command, but neither stores nor server nor engine", async () => {
  const { code, loaded, from } = await run(["--help"]);
  expect(code).toBe(0);
  expect(loaded).toContain("runledger/dist/cli/commands/store-command.js");
  expect([STORES, SERVER, ENGINE].flatMap(from)).toEqual([]);
});

test("a command against a server loads one command, and neither stores nor engine", async () => {
  const { code, loaded, from } = await run(["--server", "http://127.0.0.1:1", "--key", "none", "runs"]);
  expect(code).toBe(4);
  expect(loaded).toContain("client/dist/index.js");
  expect(from(/cli\/commands\/(watch|store|dev)-command\.js$/)).toEqual([]);
  expect([STORES, SERVER, ENGINE].flatMap(from)).toEqual([]);
});

test("a cache folder that is not writable is ignored", async () => {
  const { code } = await run(["--version"], { XDG_CACHE_HOME: bin });
  expect(code).toBe(0);
});
