// @module-tag R-20
/** Data never becomes a reference to a secret (S1). An operator of another tenant could read every secret of a worker. */
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { ISecretsProvider, Json } from "@runledger/contracts";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { everythingOf } from "@runledger/test-support/run-workflow";
import { connect, loadWorkflow, secret, workflow, type AnyWorkflow, type Ledger, type Schema } from "../index.js";

const VALUE = "correct horse battery staple";
const resolved: string[] = [];
const secrets: ISecretsProvider = {
  resolve: async (refs) => {
    resolved.push(...refs.map(({ name }) => name));
    return Object.fromEntries(refs.map(({ name }) => [name, VALUE]));
  },
};
const anything: Schema<Json> = {
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: value as Json }) },
};
const received: IncomingHttpHeaders[] = [];
let server: Server;
let ledger: Ledger;
let url: string;
let flows: Readonly<Record<string, AnyWorkflow>>;

beforeAll(async () => {
  server = createServer(({ headers }, response) => {
    received.push(headers);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  ledger = await connect("memory:");
  flows = await makeFlows();
  await ledger.worker({ workflows: Object.values(flows), pollMs: 5, secrets, environment: process.env });
});
beforeEach(() => {
  resolved.length = 0;
  received.length = 0;
});
afterAll(async () => {
  await ledger.close();
  server.close();
});

async function makeFlows(): Promise<Readonly<Record<string, AnyWorkflow>>> {
  const file = (id: string, step: object): Promise<AnyWorkflow> =>
    loadWorkflow(JSON.stringify({ workflow: id, steps: [{ id: "leak", ...step }] }));
  const command = [process.execPath, "-e", "console.log(process.env.X)"] as const;
  const http = { url, method: "POST", headers: { "x-value": { cel: "input" } } };
  return {
    "header of a file": await file("file-header", { http }),
    "variable of a file": await file("file-variable", { command, env: { X: { cel: "input" } } }),
    "body of a file": await file("file-body", { http: { url, body: { cel: "input" } } }),
    "header in code": workflow("code-header", { input: anything }, (w) =>
      w.http("leak", { request: ({ input }) => ({ url, headers: { "x-value": input as string } }) }),
    ),
  };
}

async function run(flow: AnyWorkflow, input: Json): Promise<string> {
  const started = await ledger.start(flow as never, input as never);
  await started.result().catch(() => null);
  return everythingOf(ledger.store, started.id);
}

const reference = fc.record(
  { secret: fc.constantFrom("database-password", "x"), prefix: fc.string() },
  { requiredKeys: ["secret"] },
);
const data = fc.oneof({ weight: 3, arbitrary: reference }, fc.record({ secret: fc.jsonValue() }), fc.jsonValue());

test.each(["header of a file", "variable of a file", "body of a file", "header in code"])(
  "no input of a run is resolved as a reference: %s",
  async (name) => {
    const property = fc.asyncProperty(data, async (input) => {
      expect(await run(flows[name]!, input as Json)).not.toContain("[secret");
      expect(resolved).toEqual([]);
    });
    await fc.assert(property, { numRuns: 12 });
    expect(JSON.stringify(received)).not.toContain(VALUE);
  },
);

test("an object as a header or variable fails the step, and nothing is sent", async () => {
  const input = { secret: "database-password" };
  expect(await run(flows["header of a file"]!, input)).toContain("EXPRESSION_FAILED");
  expect(await run(flows["variable of a file"]!, input)).toContain("EXPRESSION_FAILED");
  expect(await run(flows["header in code"]!, input)).toContain("SETTING_INVALID");
  expect(received).toEqual([]);
});

test("literal references in a file, a plan and code are resolved", async () => {
  const literal = { secret: "token", prefix: "Bearer " };
  const file = await loadWorkflow(
    JSON.stringify({ workflow: "file", steps: [{ id: "a", http: { url, headers: { authorization: literal } } }] }),
  );
  const code = workflow("code", {}, (w) => {
    w.http("a", { request: () => ({ url, headers: { authorization: secret("token", { prefix: "Bearer " }) } }) });
    w.command("b", {
      run: [process.execPath, "-e", "console.log(process.env.A + process.env.B)"],
      env: { A: literal, B: secret("b") },
    });
  });
  await ledger.worker({ workflows: [file, code], pollMs: 5, secrets, environment: process.env });
  await run(file, null);
  expect(await run(code, null)).toContain("Bearer [secret token][secret");
  expect(received.map(({ authorization }) => authorization)).toEqual(Array(2).fill(`Bearer ${VALUE}`));
});
