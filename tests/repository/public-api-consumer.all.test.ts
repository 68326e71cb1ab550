// @module-tag N-30
/** Compiles projects with `declaration: true` that installed one package each. Their declarations may import only that package. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { capture, tool } from "../../scripts/lib/spawn.mjs";
import { consumerSource } from "./public-api/consumer-source.js";
import { OpenPackages, packagesWithApi } from "./public-api/open-packages.js";
import { importsOf, strictLayout, type StrictLayout } from "./public-api/strict-layout.js";

/** A project of a user: nothing has a type annotation, so the compiler names every type itself. */
const ofAUser = `
import { connect, defineConfig, loadWorkflow, workflow } from "runledger";
import { testLedger } from "runledger/testing";

export const nightly = workflow("nightly", { version: "1" }, (w) => {
  const extract = w.step("extract", () => ({ rows: [3, 1, 4] }));
  const release = w.waitForSignal("release", { after: [extract], timeout: "3d" });
  return w.step("publish", { needs: { extract, release } }, ({ needs }) => ({ published: needs.extract.rows.length }));
});
export const parts = (builder: Parameters<Parameters<typeof workflow>[2]>[0]) => ({
  step: builder.step("a", () => 1),
  each: builder.forEach("b", { items: () => [1] }, (w) => w.step("c", ({ item }) => item)),
});
export const config = defineConfig({ workflows: [] });
export const ledger = await connect("memory:");
export const worker = await ledger.worker({ workflows: [nightly] });
export const run = await ledger.start(nightly, { requestId: "1" });
export const result = await run.result();
export const snapshot = await run.snapshot();
export const steps = Object.values(snapshot.steps);
export const events = run.events();
export const loaded = await loadWorkflow("flow.yaml");
export const { store, schedules, queue, limits, metrics } = ledger;
export const page = await ledger.list().page();
export const why = await queue.why(run.id);
export const test = await testLedger({ workflows: [nightly] });
export const tested = await test.start(nightly);
export class Runs { readonly handle = run; readonly last = (id: string) => ledger.get(nightly, id); }
`;

/** Uses that must compile, and with `@ts-expect-error` uses that must not. */
const typedUses = {
  internals: `
// @ts-expect-error a package that is not installed
export type { LedgerInternals } from "@runledger/runtime/ledger/internals";
// @ts-expect-error a file that is not an entry point
export type { Ledger } from "runledger/dist/index.js";
`,
  actions: `
import type { RunHandle } from "runledger";
export async function steer(run: RunHandle) {
  await run.cancel({ by: "ada" });
  await run.pause();
  await run.resume();
  await run.approve();
  await run.retry({ step: "load" });
  await run.skip("load");
  await run.act("CANCEL");
  // @ts-expect-error a misspelled action
  await run.act("CANCLE");
  // @ts-expect-error skip needs a step
  await run.skip();
}
`,
  snapshots: `
import type { RunSnapshot, StepSnapshot } from "runledger";
export function describe(run: RunSnapshot, step: StepSnapshot) {
  if (run.status === "FAILED") return run.completedAt.length;
  if (step.status === "FAILED") return step.error.message;
  // @ts-expect-error a run that is not finished may have no time of completion
  if (run.status === "RUNNING") return run.completedAt.length;
  // @ts-expect-error only a failed step has an error
  if (step.status === "SUCCESS") return step.error.message;
}
`,
};

let layout: StrictLayout;
let output: { readonly code: number | null; readonly stdout: string };
const sources = new Map<string, string>();

beforeAll(async () => {
  layout = strictLayout();
  using open = new OpenPackages();
  for (const pkg of packagesWithApi)
    sources.set(pkg.name, layout.addProject(pkg.folder, pkg.name, consumerSource(open, pkg)));
  sources.set("a user", layout.addProject("user", "runledger", ofAUser));
  for (const [name, source] of Object.entries(typedUses))
    sources.set(name, layout.addProject(name, "runledger", source));
  const options = { module: "nodenext", target: "es2022", lib: ["es2023", "esnext.disposable"], types: ["node"] };
  const compilerOptions = {
    ...options,
    strict: true,
    skipLibCheck: true,
    declaration: true,
    emitDeclarationOnly: true,
  };
  writeFileSync(
    join(layout.folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: [...sources.values()] }),
  );
  output = await capture(tool("tsc"), ["-p", layout.folder]);
});
afterAll(() => rmSync(layout.folder, { recursive: true, force: true, maxRetries: 20 }));

test("the compiler can name every inferred type", () => {
  expect(output).toMatchObject({ code: 0, stdout: "" });
});

/** Messages of the compiler about one project. */
const messagesAbout = (project: string) => output.stdout.split("\n").filter((line) => line.includes(`/${project}/`));

test("a project cannot import files that are not entry points, or packages that it did not install", () => {
  expect(messagesAbout("internals")).toEqual([]);
});

test("actions are typed: the compiler refuses an unknown one", { tags: ["N-31"] }, () => {
  expect(messagesAbout("actions")).toEqual([]);
});

test("the status of a snapshot determines which fields it has", { tags: ["N-32"] }, () => {
  expect(messagesAbout("snapshots")).toEqual([]);
});

test.each([...packagesWithApi.map(({ name }) => [name, name] as const), ["a user", "runledger"] as const])(
  "the declarations of a project of %s import only the package that is installed",
  (project, installed) => {
    const file = sources.get(project)!.replace(/\.ts$/, ".d.ts");
    expect(existsSync(file)).toBe(true);
    const others = importsOf(file).filter((path) => path !== installed && !path.startsWith(`${installed}/`));
    expect(others).toEqual([]);
  },
);
