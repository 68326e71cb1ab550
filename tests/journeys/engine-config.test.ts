// @module-tag E-05
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshProject } from "@runledger/test-support/runledger-command";

const config = `import { defineConfig } from "runledger";\nexport default defineConfig({ workflows: ["./workflows/**/*.ts"] });`;
const hello = `import { workflow } from "runledger";
import { greeting, Tone } from "../lib/greeting.js";
const loud: boolean = await Promise.resolve(true);
export const hello = workflow("hello", {}, (w) => w.step("greet", () => greeting(Tone.Loud) + String(loud)));`;
const greeting = `export enum Tone { Loud = "!" }\nexport const greeting = (tone: Tone): string => "hello" + tone;`;

/** A command reaches this store only after it has found and loaded everything else. */
const NOWHERE = { RUNLEDGER_STORE: "postgres://127.0.0.1:1/none" };
const FOUND = { code: 4, stderr: expect.stringContaining("error STORE_UNAVAILABLE  ") as string };

test("the configuration is found in the working directory or above, and TypeScript needs no build", async () => {
  const files = { "runledger.config.ts": config, "workflows/deep/hello.ts": hello.replace("../lib", "../../lib") };
  const cwd = freshProject({ ...files, "lib/greeting.ts": greeting });
  mkdirSync(join(cwd, "somewhere/below"), { recursive: true });
  for (const place of [cwd, join(cwd, "somewhere/below")])
    expect(await runledger({ cwd: place, env: NOWHERE }, "run", "hello")).toMatchObject(FOUND);
});

test("production loads compiled JavaScript and refuses TypeScript", async () => {
  const compiled = `import { workflow } from "runledger";
export const hello = workflow("hello", { version: "1" }, (w) => w.step("greet", () => "hello"));`;
  const cwd = freshProject({
    "runledger.config.ts": config,
    "dist/runledger.config.js": config,
    "dist/workflows/hello.js": compiled,
    "dist/workflows/hello.d.ts": "export declare const hello: unknown;",
  });
  const env = { ...NOWHERE, NODE_ENV: "production" };
  expect(await runledger({ cwd, env }, "run", "hello", "--config", "dist/runledger.config.js")).toMatchObject(FOUND);
  const refused = await runledger({ cwd, env }, "run", "hello");
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toMatch(
    /^error CONFIG_INVALID {2}.*production loads JavaScript only. Compile the project.*\n$/,
  );
});

test.each<[string, Record<string, string>, RegExp]>([
  [
    "no configuration",
    {},
    /^error CONFIG_NOT_FOUND {2}.*no runledger\.config\.ts found in .* Create a project with npx runledger init.*\n$/,
  ],
  [
    "a configuration without a default export",
    { "runledger.config.ts": "export const config = {};" },
    /^error CONFIG_INVALID {2}.*export default defineConfig.*\n$/,
  ],
  [
    "patterns that are not a list",
    { "runledger.config.ts": `export default { workflows: "./workflows" };` },
    /^error CONFIG_INVALID {2}.*workflows must be a list of patterns.*\n$/,
  ],
  [
    "files without a workflow",
    { "runledger.config.ts": config, "workflows/empty.ts": "export const nothing: number = 1;" },
    /^error CONFIG_INVALID {2}.*no file matching \.\/workflows\/\*\*\/\*\.ts exports a workflow\. .*\n$/,
  ],
  [
    "a syntax error",
    { "runledger.config.ts": config, "workflows/broken.ts": "export const x: number = 1;\nconst y = ;" },
    /^error CONFIG_INVALID {2}.*workflows\/broken\.ts:2:\d+: cannot load the file: .*\n$/,
  ],
  [
    "a module that throws",
    { "runledger.config.ts": config, "workflows/throws.ts": `\nthrow new Error("no\\nluck");` },
    /^error CONFIG_INVALID {2}.*workflows\/throws\.ts:2:\d+: cannot load the file: Error: no luck\n$/,
  ],
  [
    "two workflows with the same id",
    { "runledger.config.ts": config, "workflows/a.ts": twin("a"), "workflows/b.ts": twin("b") },
    /^error CONFIG_INVALID {2}.*workflows\/b\.ts: workflow twin 1 is defined here and in .*workflows\/a\.ts\. Rename.*\n$/,
  ],
  [
    "an invalid workflow",
    { "runledger.config.ts": config, "workflows/twice.ts": duplicate() },
    /^error PLAN_DUPLICATE_ID {2}workflow twice, step a: .*\n$/,
  ],
])("%s: the error has one line with place and remedy", async (_, files, expected) => {
  const cwd = freshProject(files);
  const { code, stderr } = await runledger({ cwd, env: NOWHERE }, "run", "hello");
  expect(stderr).toMatch(expected);
  expect(code).toBe(2);
});

test.each([
  ["stor", `{ workflows: ["./w.ts"], stor: "postgres://db" }`, "stor is not an option. Did you mean store?"],
  [
    "worker.leaseMS",
    `{ workflows: ["./w.ts"], worker: { leaseMS: 1 } }`,
    "worker.leaseMS is not an option. Did you mean worker.leaseMs?",
  ],
  [
    "server.jwt.aud",
    `{ workflows: ["./w.ts"], server: { jwt: { aud: "x" } } }`,
    "server.jwt.aud is not an option. Use one of issuer,",
  ],
])("an unknown key is refused: %s", { tags: ["R-43"] }, async (_, text, message) => {
  const cwd = freshProject({ "runledger.config.ts": `export default ${text};`, "w.ts": "" });
  const refused = await runledger({ cwd, env: NOWHERE }, "run", "hello");
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(message) as string });
});

test("a pattern that matches no file is reported, and the others are loaded", { tags: ["R-43"] }, async () => {
  const patterns = config.replace("[", `["./workflos/*.ts", `);
  const cwd = freshProject({
    "runledger.config.ts": patterns,
    "workflows/hello.ts": hello,
    "lib/greeting.ts": greeting,
  });
  const { code, stderr } = await runledger({ cwd, env: NOWHERE }, "run", "hello");
  expect({ code, stderr }).toEqual({
    code: 4,
    stderr: expect.stringMatching(
      /^warning {2}The pattern \.\/workflos\/\*\.ts in .*runledger\.config\.ts matches no file\.\nerror STORE_UNAVAILABLE/,
    ) as string,
  });
});

test("production requires an explicit store", async () => {
  const cwd = freshProject({ "runledger.config.mjs": `export default { workflows: ["./workflows/*.js"] };` });
  const { code, stderr } = await runledger({ cwd, env: { NODE_ENV: "production" } }, "watch", "run_1");
  expect(stderr).toMatch(/^error STORE_NOT_CHOSEN {2}.*RUNLEDGER_STORE.*\n$/);
  expect(code).toBe(2);
});

test("a store in the configuration is relative to the configuration", async () => {
  const cwd = freshProject({
    "runledger.config.mjs": `export default { workflows: ["x"], store: "embedded:./data" };`,
  });
  mkdirSync(join(cwd, "below"));
  const { code, stderr } = await runledger({ cwd: join(cwd, "below") }, "watch", "run_1");
  expect(stderr).toContain(`${join(cwd, "data")} does not exist.`);
  expect(code).toBe(2);
});

function twin(step: string): string {
  return `import { workflow } from "runledger";
export const twin = workflow("twin", { version: "1" }, (w) => w.step("${step}", () => 1));`;
}

function duplicate(): string {
  return `import { workflow } from "runledger";
export default workflow("twice", {}, (w) => { w.step("a", () => 1); w.step("a", () => 2); });`;
}
