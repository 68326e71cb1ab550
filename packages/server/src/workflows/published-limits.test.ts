// @module-tag R-20
/** A published document never blocks a server: it is parsed once, and it has limits. */
import type { JsonObject } from "@runledger/contracts";
import { fromSource } from "@runledger/runtime/yaml/published-workflow";
import { testServer, type TestServer } from "@runledger/test-support/test-server";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadWorkflow } from "@runledger/runtime";

let server: TestServer;
let count = 0;

async function serve(): Promise<void> {
  server = await testServer([]);
}

const steps = [{ id: "wait", wait: "go" }];

async function publish(document: JsonObject): Promise<{ status: number; code: string; message: string }> {
  const answer = await server.call("PUT", `/workflows/w${++count}/1`, document);
  const { code = "", detail = "" } = (await answer.json()) as { code?: string; detail?: string };
  return { status: answer.status, code, message: detail };
}

async function start(input: unknown): Promise<{ status: number; code?: string }> {
  const answer = await server.call("POST", "/runs", { workflow: `w${count}`, input });
  const { code } = (await answer.json()) as { code?: string };
  return { status: answer.status, ...(code !== undefined && { code }) };
}

function many<T>(length: number, make: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => make(index));
}

function fields(length: number, value: unknown): object {
  return Object.fromEntries(many(length, (index) => [`f${index}`, value]));
}

function nested(levels: number, inner: unknown, wrap: (inner: unknown) => unknown): unknown {
  return many(levels, (index) => index).reduce<unknown>((value) => wrap(value), inner);
}

describe("a document over a limit is refused before it is parsed", () => {
  test.each<[string, object, string]>([
    ["steps", { steps: many(1001, (index) => ({ id: `s${index}`, wait: "x" })) }, "more than 1000 steps"],
    [
      "steps of branches",
      { steps: [{ id: "a", when: "true", then: many(1001, (i) => ({ id: `s${i}`, wait: "x" })) }] },
      "1000 steps",
    ],
    ["values", { steps: many(90, (i) => ({ id: `s${i}`, wait: "x", after: Array(200).fill("a") })) }, "10000 values"],
    ["fields", { steps: [{ id: "a", wait: "x", ...fields(1001, 1) }] }, "1003 fields"],
    ["names", { steps: [{ id: "a", wait: "x", ["k".repeat(201)]: 1 }] }, "201 characters"],
    ["depth", { steps: nested(50, steps, (inner) => [{ id: "a", when: "true", then: inner }]) }, "40 levels"],
  ])("%s", async (_, document, message) => {
    await serve();
    const answer = await publish(document as JsonObject);
    expect(answer).toMatchObject({ status: 400, code: "PLAN_TOO_LARGE" });
    expect(answer.message).toContain(message);
  });
});

const node = (next: object) => ({ $ref: "#/$defs/n", $defs: { n: { type: "object", properties: { next } } } });
const self = { $ref: "#/$defs/n" };

describe("a schema that takes exponential time is refused", () => {
  test.each<[string, object, string]>([
    ["itself", { $ref: "#" }, "refers to itself at #"],
    [
      "a cycle of references",
      { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
      "refers to itself",
    ],
    ["allOf in a loop", node({ allOf: [self, self] }), "several branches"],
    ["anyOf in a loop", node({ anyOf: [self, { properties: { a: self } }] }), "several branches"],
    [
      "overlapping properties",
      node({ properties: { a: self }, patternProperties: { "^a": self } }),
      "several branches",
    ],
    [
      "references that multiply",
      {
        allOf: many(20, () => ({ $ref: "#/$defs/a" })),
        $defs: { a: { allOf: many(20, () => ({ $ref: "#/$defs/b" })) }, b: {} },
      },
      "branches",
    ],
    ["many parts", nested(12, {}, (inner) => ({ properties: { a: inner, b: inner } })) as object, "5000 parts"],
  ])("%s", async (_, input, message) => {
    await serve();
    const answer = await publish({ input: input as JsonObject, steps });
    expect(answer).toMatchObject({
      status: 400,
      code: expect.stringMatching(/PLAN_(SCHEMA_UNSAFE|TOO_LARGE)/) as string,
    });
    expect(answer.message).toMatch(new RegExp(`${message}|10000 values`));
  });

  test("a list with recursion is accepted, and a deep input gets an answer", async () => {
    await serve();
    expect(await publish({ input: node({ anyOf: [{ type: "null" }, self] }) as JsonObject, steps })).toMatchObject({
      status: 201,
    });
    expect(await start({ next: { next: null } })).toEqual({ status: 202 });
    expect(await start({ next: { next: 5 } })).toMatchObject({ status: 400, code: "SCHEMA_MISMATCH" });
    const text = `${'{"next":'.repeat(20_000)}null${"}".repeat(20_000)}`; // JSON.stringify would fail on its own
    const answer = await server.call("POST", "/runs", `{"workflow":"w${count}","input":${text}}`);
    expect([answer.status, await answer.json()]).toMatchObject([400, {}]);
  });

  test("a pattern with too many states, and too many patterns, are refused", async () => {
    await serve();
    const wide = { type: "string", pattern: "(a{1,50}){1,20}" };
    expect(await publish({ input: wide, steps })).toMatchObject({ code: "PLAN_PATTERN_UNSAFE" });
    const patterns = { properties: fields(101, { type: "string", pattern: "^a$" }) };
    expect(await publish({ input: patterns as JsonObject, steps })).toMatchObject({ code: "PLAN_PATTERN_UNSAFE" });
  });
});

test("a document is parsed once for all requests", async () => {
  await serve();
  const source = JSON.stringify({ workflow: "once", version: "1", steps });
  const first = await fromSource(source, "once.json");
  expect(await fromSource(source, "once.json")).toBe(first);
  await server.call("PUT", "/workflows/once/1", { steps });
  const answers = await Promise.all(many(20, () => server.call("GET", "/workflows/once")));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
});

const json = fc.letrec<{ schema: object }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "medium" },
    fc.constantFrom({ type: "string" }, { type: "null" }, self, { $ref: "#" }),
    fc.record({ allOf: fc.array(tie("schema"), { maxLength: 3 }) }),
    fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    tie("schema").map((next) => ({ type: "object", properties: { next, more: next } })),
    tie("schema").map((items) => ({ type: "array", items })),
    tie("schema").map((next) => ({ type: "object", additionalProperties: next })),
  ),
})).schema;

test("every schema is refused, or validates a deep input in bounded steps", async () => {
  await serve();
  const property = fc.asyncProperty(json, json, async (n, root) => {
    const text = JSON.stringify({ workflow: "w", input: { ...root, $defs: { n } }, steps });
    const made = await loadWorkflow(text).catch((error: unknown) => (error as { code: string }).code);
    if (typeof made === "string") {
      expect(made).toMatch(/^PLAN_/);
      return;
    }
    await server.ledger
      .start(made, deep as never)
      .catch((error: unknown) => expect(error).toMatchObject({ code: "SCHEMA_MISMATCH" }));
  });
  await fc.assert(property, { numRuns: 60 });
});

/** 40 levels: a schema that doubles the work at each level would never finish. */
const deep = nested(40, "end", (next) => ({ next, more: [next === "end" ? "end" : {}] }));
