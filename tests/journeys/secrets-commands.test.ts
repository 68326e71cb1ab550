// @module-tag D-12
/** `runledger secrets` and the secrets that `doctor` checks. No output contains a value. */
import { randomBytes } from "node:crypto";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { bin, freshProject } from "@runledger/test-support/runledger-command";
import { runledger } from "@runledger/test-support/hosted-commands";
import { capture } from "../../scripts/lib/spawn.mjs";
import { expect, onTestFinished, test } from "vitest";

const VALUE = "correct horse battery staple";
const FLOW = JSON.stringify({
  workflow: "load",
  steps: [{ id: "a", command: ["true"], env: { TOKEN: { secret: "api-token" }, OTHER: { secret: "missing-one" } } }],
});
const key = (id: string): string => `${id}:${randomBytes(32).toString("base64")}`;

function configOf(url: string, keys: string): string {
  return `import { defineConfig, PostgresSecrets } from "runledger";
export default defineConfig({
  workflows: ["./load.json"],
  worker: { secrets: new PostgresSecrets({ url: ${JSON.stringify(url)}, keys: ${JSON.stringify(keys)} }) },
});`;
}

test("secrets are set from standard input, listed, rotated and checked, and no command shows a value", async () => {
  const { url, drop } = await freshDatabase();
  onTestFinished(drop);
  const [before, after] = [key("2026-10"), key("2026-11")];
  const projectWith = (keys: string) => freshProject({ "load.json": FLOW, "runledger.config.ts": configOf(url, keys) });
  const where = { cwd: projectWith(before), env: { RUNLEDGER_STORE: "memory:" } };
  const set = (...args: string[]) =>
    capture(process.execPath, [bin, "secrets", "set", ...args], { ...where, input: `${VALUE}\n`, timeoutMs: 240_000 });
  const outputs: string[] = [];
  const seen = <R extends { readonly stdout: string; readonly stderr: string }>(result: R): R => {
    outputs.push(result.stdout, result.stderr);
    return result;
  };
  expect(seen(await set("api-token"))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("version 1") as string,
  });
  expect(seen(await set("api-token", "--tenant", "acme", "--environment", "production", "--json")).code).toBe(0);
  const listed = seen(await runledger(where, "secrets", "list", "--json"))
    .stdout.trim()
    .split("\n");
  expect(listed.map((line) => JSON.parse(line) as object)).toMatchObject([
    { name: "api-token", version: "1", tenantId: null, environmentId: null, keyId: "2026-10" },
    { name: "api-token", version: "1", tenantId: "acme", environmentId: "production", keyId: "2026-10" },
  ]);
  expect(seen(await runledger(where, "secrets", "list")).stdout).toContain("acme / production");

  const checked = seen(await runledger(where, "secrets", "check"));
  expect(checked.code).toBe(1);
  expect(checked.stdout).toMatch(/✔ api-token\n✖ secret missing-one: is not in the database/);
  const doctor = seen(await runledger(where, "doctor", "--json")).stdout;
  expect(doctor).toContain(`"name":"Secrets","state":"bad","found":"secret missing-one`);

  const rotating = { ...where, cwd: projectWith(`${after},${before}`) };
  expect(seen(await runledger(rotating, "secrets", "rotate")).stdout).toContain("2 versions encrypted");
  const rotated = { ...where, cwd: projectWith(after) };
  expect(seen(await runledger(rotated, "secrets", "check", "--json")).stdout).toContain(
    `{"name":"api-token","problem":null}`,
  );
  expect(outputs.join("\n")).not.toContain(VALUE);
});

test("a provider without a list is refused with an alternative", async () => {
  const config = `export default { workflows: ["./load.json"] };`;
  const where = { cwd: freshProject({ "load.json": FLOW, "runledger.config.ts": config }) };
  const result = await runledger(where, "secrets", "list");
  expect(result.code).toBe(2);
  expect(result.stderr).toContain("Use PostgresSecrets");
});
