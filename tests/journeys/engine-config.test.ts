import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freshProject, runledger } from "../support/runledger-command.js";

const config = `import { defineConfig } from "runledger";\nexport default defineConfig({ workflows: ["./workflows/**/*.ts"] });`;
const hello = `import { workflow } from "runledger";
import { greeting, Tone } from "../lib/greeting.js";
const loud: boolean = await Promise.resolve(true);
export const hello = workflow("hello", {}, (w) => w.step("greet", () => greeting(Tone.Loud) + String(loud)));`;
const greeting = `export enum Tone { Loud = "!" }\nexport const greeting = (tone: Tone): string => "hello" + tone;`;

/** Where a store is reached, this one refuses: up to there everything was found and loaded. */
const NOWHERE = { RUNLEDGER_STORE: "postgres://127.0.0.1:1/none" };
const FOUND = { code: 4, stderr: expect.stringContaining("error STORE_UNAVAILABLE  ") as string };

test("[E-05] the configuration is found from the working directory upwards, and TypeScript needs no build", async () => {
  const files = { "runledger.config.ts": config, "workflows/deep/hello.ts": hello.replace("../lib", "../../lib") };
  const cwd = freshProject({ ...files, "lib/greeting.ts": greeting });
  mkdirSync(join(cwd, "somewhere/below"), { recursive: true });
  for (const place of [cwd, join(cwd, "somewhere/below")])
    expect(await runledger({ cwd: place, env: NOWHERE }, "run", "hello")).toMatchObject(FOUND);
});

test("[E-05] in production compiled JavaScript is loaded, and TypeScript is refused", async () => {
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
  expect(refused.stderr).toMatch(/^error CONFIG_INVALID {2}.*production loads JavaScript; compile the project.*\n$/);
});

test.each<[string, Record<string, string>, RegExp]>([
  ["there is no configuration", {}, /^error CONFIG_NOT_FOUND {2}.*write one that exports defineConfig.*\n$/],
  [
    "it exports something else",
    { "runledger.config.ts": "export const config = {};" },
    /^error CONFIG_INVALID {2}.*export default defineConfig.*\n$/,
  ],
  [
    "its patterns are none",
    { "runledger.config.ts": `export default { workflows: "./workflows" };` },
    /^error CONFIG_INVALID {2}.*workflows must be a list of patterns.*\n$/,
  ],
  [
    "no file exports a workflow",
    { "runledger.config.ts": config, "workflows/empty.ts": "export const nothing: number = 1;" },
    /^error CONFIG_INVALID {2}.*no file matching \.\/workflows\/\*\*\/\*\.ts exports a workflow; .*\n$/,
  ],
  [
    "a file cannot be read",
    { "runledger.config.ts": config, "workflows/broken.ts": "export const x: number = 1;\nconst y = ;" },
    /^error CONFIG_INVALID {2}.*workflows\/broken\.ts:2:\d+: it cannot be loaded: .*\n$/,
  ],
  [
    "a module throws",
    { "runledger.config.ts": config, "workflows/throws.ts": `\nthrow new Error("no\\nluck");` },
    /^error CONFIG_INVALID {2}.*workflows\/throws\.ts:2:\d+: it cannot be loaded: Error: no luck\n$/,
  ],
  [
    "two workflows have one name",
    { "runledger.config.ts": config, "workflows/a.ts": twin("a"), "workflows/b.ts": twin("b") },
    /^error CONFIG_INVALID {2}.*workflows\/b\.ts: workflow twin 1 is defined here and in .*workflows\/a\.ts; rename.*\n$/,
  ],
  [
    "a workflow has a fault of its own",
    { "runledger.config.ts": config, "workflows/twice.ts": duplicate() },
    /^error PLAN_DUPLICATE_ID {2}workflow twice, step a: .*\n$/,
  ],
])("[E-05] %s: one line says what and where, and what to do", async (_, files, expected) => {
  const cwd = freshProject(files);
  const { code, stderr } = await runledger({ cwd, env: NOWHERE }, "run", "hello");
  expect(stderr).toMatch(expected);
  expect(code).toBe(2);
});

test("[E-05] in production a store must be named", async () => {
  const cwd = freshProject({ "runledger.config.mjs": `export default { workflows: ["./workflows/*.js"] };` });
  const { code, stderr } = await runledger({ cwd, env: { NODE_ENV: "production" } }, "watch", "run_1");
  expect(stderr).toMatch(/^error STORE_NOT_CHOSEN {2}.*RUNLEDGER_STORE.*\n$/);
  expect(code).toBe(2);
});

test("[E-05] the store may be named in the configuration, and is then relative to it", async () => {
  const cwd = freshProject({
    "runledger.config.mjs": `export default { workflows: ["x"], store: "embedded:./data" };`,
  });
  mkdirSync(join(cwd, "below"));
  const { code, stderr } = await runledger({ cwd: join(cwd, "below") }, "watch", "run_1");
  expect(stderr).toContain(`nothing is stored in ${join(cwd, "data")} yet`);
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
