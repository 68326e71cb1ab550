// @module-tag E-02
/** Any value arrives as one argument, one bind or one segment, and is never parsed again. */
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, loadWorkflow, type Ledger } from "../index.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";

const evil = [
  "; touch injected #",
  "$(touch injected)",
  "`touch injected`",
  "&& touch injected ||",
  "| tee injected",
  "> injected",
  "'; DROP TABLE victims; --",
  '"; DROP TABLE victims; --',
  "$1 $2 ${HOME} %PATH% !!",
  "{{ input.values }} ${input.values} <%= input %>",
  '{ cel: "1 + 1" }',
  "--help",
  "-rf",
  "a b\tc\nd\r\ne",
  "*?[a-z]~",
  "\\ \\\\ \\' \\\"",
  "",
  " ",
  "ünïcödé ✓ 𝄞",
  "../../etc/passwd",
  "a/b?c=d&e#f%2F",
];

let ledger: Ledger;
let database: FreshDatabase;
let folder: string;
let server: Server;
const seen: { url: string; body: string; header: unknown }[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "runledger-injection-"));
  [ledger, database] = await Promise.all([connect("memory:"), freshDatabase()]);
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      seen.push({ url: request.url!, body: Buffer.concat(parts).toString(), header: request.headers["x-value"] });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  await ledger.close();
  await database.drop();
  server.close();
  rmSync(folder, { recursive: true });
});

async function resultOf(text: string, input: object): Promise<unknown> {
  const made = await loadWorkflow(text);
  await ledger.worker({ workflows: [made], pollMs: 5, connections: { default: database.url } });
  return (await ledger.start(made, input as never)).result();
}

describe("values with special characters for a shell, SQL or a URL", () => {
  test("arrive unchanged as one argument or variable each", async () => {
    const program = join(folder, "arguments.mjs");
    const out = join(folder, "arguments.json");
    writeFileSync(
      program,
      'import { writeFileSync } from "node:fs"; const [out, ...rest] = process.argv.slice(2); writeFileSync(out, JSON.stringify({ rest, value: process.env.VALUE }));',
    );
    const args = evil.map((_, index) => ({ cel: `input.values[${index}]` }));
    const command = [process.execPath, program, out, ...args];
    const env = { VALUE: { cel: "input.values[0]" } };
    await resultOf(JSON.stringify({ workflow: "arguments", steps: [{ id: "a", command, cwd: folder, env }] }), {
      values: evil,
    });
    expect(JSON.parse(readFileSync(out, "utf8"))).toEqual({ rest: evil, value: evil[0] });
    expect(readdirSync(folder).sort()).toEqual(["arguments.json", "arguments.mjs"]);
  });

  test("arrive unchanged as one bind each, and the table survives", async () => {
    const text = `
workflow: binds
steps:
  - { id: make, sql: create table victims (value text) }
  - id: insert
    after: [make]
    sql: insert into victims select * from unnest($1::text[]) returning value
    params: [{ cel: input.values }]
  - { id: read, after: [insert], sql: select value from victims where value = $1, params: [{ cel: "input.values[6]" }] }
  - { id: all, after: [read], sql: select count(*)::int as n from victims }
  - id: drop
    after: [all]
    needs: { insert: insert, read: read, all: all }
    when: size(needs.insert) == needs.all[0].n && needs.read[0].value == input.values[6]
    then: { steps: [{ id: yes, sql: "select $1::text as verdict", params: [right] }], output: yes }
output: drop
`;
    expect(await resultOf(text, { values: evil })).toEqual([{ verdict: "right" }]);
  });

  test("arrive unchanged as one segment, one parameter or one part of a body", async () => {
    const { port } = server.address() as AddressInfo;
    const text = `
workflow: addresses
steps:
  - id: each
    forEach: input.values
    concurrency: 1
    steps:
      - id: call
        http:
          method: POST
          url: http://127.0.0.1:${port}/base/?fixed=1
          path: [{ cel: item }, end]
          query: { q: { cel: item } }
          body: { whole: { cel: item }, data: { cel: input.data } }
`;
    const values = evil.filter((value) => value !== "");
    const data = { cel: "1 + 1", literal: { secret: "token" } };
    seen.length = 0;
    await resultOf(text, { values, data });
    const read = seen.map(({ url, body }) => {
      const { pathname, searchParams } = new URL(url, "http://x");
      const [, base, segment, end, ...more] = pathname.split("/");
      return [base, decodeURIComponent(segment!), end, more, searchParams.getAll("q"), searchParams.get("fixed"), body];
    });
    expect(read).toEqual(
      values.map((value) => ["base", value, "end", [], [value], "1", JSON.stringify({ whole: value, data })]),
    );
  });

  test("a line break in a header is refused and nothing is sent", async () => {
    const { port } = server.address() as AddressInfo;
    const http = { url: `http://127.0.0.1:${port}/`, headers: { "x-value": { cel: "input.value" } } };
    const text = JSON.stringify({ workflow: "headers", steps: [{ id: "a", http }] });
    seen.length = 0;
    await expect(resultOf(text, { value: "a\r\nx-other: b" })).rejects.toMatchObject({ code: "RUN_FAILED" });
    expect(seen).toEqual([]);
    await resultOf(text, { value: "$(x); '--" });
    expect(seen).toMatchObject([{ header: "$(x); '--" }]);
  });
});

describe("string templates are not supported", () => {
  test.each([
    ["a computed program", { command: [{ cel: "input.program" }] }],
    ["a command line", { command: "dbt build" }],
    ["a computed statement", { sql: { cel: "'select ' + input.column" } }],
    ["a computed working directory", { command: ["ls"], cwd: { cel: "input.folder" } }],
  ])("%s is refused", async (_, step) => {
    const text = JSON.stringify({ workflow: "x", steps: [{ id: "a", ...step }] });
    await expect(loadWorkflow(text)).rejects.toMatchObject({ code: "PLAN_SYNTAX" });
  });

  test("text that looks like a template stays text", async () => {
    const text =
      'workflow: t\nsteps: [{ id: a, sql: "select $1::text as v", params: ["{{ input.x }} ${input.x}"] }]\noutput: a\n';
    expect(await resultOf(text, { x: 1 })).toEqual([{ v: "{{ input.x }} ${input.x}" }]);
  });
});
