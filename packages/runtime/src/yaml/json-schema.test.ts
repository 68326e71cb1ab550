// @module-tag E-02
/** The published JSON Schema accepts the same files as the loader. */
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { inRepository } from "../../../../scripts/lib/repository.mjs";
import { workflowJsonSchema } from "./json-schema.js";
import { readWorkflow } from "./read-workflow.js";
import { Source, type Path } from "./source.js";

const sample = parse(readFileSync(new URL("all-kinds.fixture.yaml", import.meta.url), "utf8")) as { steps: object[] };
/** The header and each step as separate documents. */
const documents = [{ ...sample, steps: [] }, ...sample.steps.map((step) => ({ workflow: "x", steps: [step] }))];
const published = inRepository("packages/runledger/schema/workflow.schema.json");

test("the published JSON Schema matches the format", async () => {
  const text = `${JSON.stringify(workflowJsonSchema())}\n`; // compact, because every installation contains it
  await expect(text).toMatchFileSnapshot(published);
});

/** Every path of a document, except inside its schemas. */
function* places(value: unknown, path: Path = []): Generator<Path> {
  if (["input", "signals", "state"].includes(String(path[0]))) return;
  yield path;
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value))
    yield* places(part, [...path, Array.isArray(value) ? Number(key) : key]);
}

function changed(
  document: object,
  path: Path,
  change: (parent: Record<string | number, unknown>, key: string | number) => void,
): object {
  const root = { root: structuredClone(document) };
  const whole = ["root", ...path];
  const parent = whole
    .slice(0, -1)
    .reduce<unknown>((part, key) => (part as Record<string | number, unknown>)[key], root);
  change(parent as Record<string | number, unknown>, whole.at(-1)!);
  return root.root;
}

const wrong: readonly unknown[] = [7, "text", "", null, true, [], {}, ["x"], { x: 1 }, { cel: "1" }, "10m"];

/** Variants of a document with one change each. */
function* variants(document: object): Generator<readonly [what: string, document: object]> {
  for (const path of places(document)) {
    if (path.length === 0) continue;
    const at = path.join(".");
    for (const value of wrong) {
      yield [`${at} = ${JSON.stringify(value)}`, changed(document, path, (parent, key) => (parent[key] = value))];
    }
    yield [`without ${at}`, changed(document, path, remove)];
    yield [`more in ${at}`, changed(document, path, addTo)];
  }
}

function remove(parent: Record<string | number, unknown>, key: string | number): void {
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
}

function addTo(parent: Record<string | number, unknown>, key: string | number): void {
  const group = parent[key];
  if (typeof group === "object" && group !== null && !Array.isArray(group)) Object.assign(group, { surplus: 1 });
}

test("the schema and the loader agree on every variant", () => {
  const validate = new Ajv2020({ strict: false }).compile(JSON.parse(readFileSync(published, "utf8")) as object);
  const disagreements: string[] = [];
  let [accepted, refused] = [0, 0];
  for (const [what, document] of documents.flatMap((each) => [...variants(each)])) {
    const bySchema = validate(document);
    const byLoader = readWorkflow(new Source(JSON.stringify(document), "x")).problems.length === 0;
    if (bySchema !== byLoader) disagreements.push(`${what}: schema ${bySchema}, loader ${byLoader}`);
    if (byLoader) accepted++;
    else refused++;
  }
  expect(disagreements).toEqual([]);
  expect(accepted).toBeGreaterThan(200);
  expect(refused).toBeGreaterThan(500);
});
