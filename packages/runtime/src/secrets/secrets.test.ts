// @module-tag E-04
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { FullStateStore } from "@runledger/contracts";
import { connect, EnvSecrets, secret, workflow, type Ledger } from "../index.js";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Schema } from "../workflow/schema.js";
import { everythingOf, logOf, runWorkflow } from "@runledger/test-support/run-workflow";

const VALUE = "correct horse battery staple";
const secrets = new EnvSecrets({ RUNLEDGER_SECRET_WAREHOUSE_PASSWORD: VALUE, RUNLEDGER_SECRET_PIN: "1234567" });
const NAME = "warehouse-password";
const SHOWN = `[secret ${NAME}]`;

const lastSeen: Schema<{ last: string }> = {
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) },
};

let ledger: Ledger;
let store: FullStateStore;

beforeEach(async () => {
  ledger = await connect("memory:");
  ({ store } = ledger);
});
afterEach(() => ledger.close());

/** No part of the value may appear in any encoding, so that the secret cannot be reassembled. */
async function expectNoTrace(runId: string): Promise<void> {
  const everything = await everythingOf(store, runId);
  for (const trace of [VALUE, encodeURIComponent(VALUE), "battery staple"]) expect(everything).not.toContain(trace);
  expect(everything).toContain(SHOWN);
}

test("S1: a secret that a step returns, patches or puts into a key never reaches the log; the event is marked", async () => {
  const flow = workflow("returning", { state: { schema: lastSeen, initial: { last: "" } } }, (w) => {
    const leak = w.step("leak", async (ctx) => {
      const value = await ctx.secrets.get(NAME);
      ctx.patch({ last: `was ${value}` });
      return {
        plain: "stays",
        url: `https://x/?p=${encodeURIComponent(value)}`,
        [value]: [value],
        length: value.length,
      };
    });
    return w.step("reader", { needs: { leak } }, ({ needs }) => needs.leak);
  });
  const { runId, data } = await runWorkflow(ledger, flow, { secrets });
  await expectNoTrace(runId);
  expect(data("StepCompleted", "leak")).toEqual({
    output: { plain: "stays", url: `https://x/?p=${SHOWN}`, [SHOWN]: [SHOWN], length: VALUE.length },
    patch: { last: `was ${SHOWN}` },
    redacted: true,
  });
  expect(data("StepCompleted", "reader")).not.toHaveProperty("redacted");
});

test("S1: a secret that a step throws never reaches the log", async () => {
  const flow = workflow("throwing", {}, (w) =>
    w.step("leak", async ({ secrets: own }) => {
      const value = await own.get(NAME);
      throw Object.assign(new Error(`login with ${value} failed`), { code: `E_${value}` });
    }),
  );
  const { runId, data, events } = await runWorkflow(ledger, flow, { secrets });
  await expectNoTrace(runId);
  expect(data("StepFailed", "leak")).toMatchObject({
    error: { code: `E_${SHOWN}`, message: `login with ${SHOWN} failed` },
    redacted: true,
  });
  expect(JSON.stringify(events.at(-1))).toContain(SHOWN);
});

test("S1: a secret that a step logs or writes in pieces never reaches an artifact", async () => {
  const flow = workflow("logging", {}, (w) =>
    w.step("leak", async ({ secrets: own, log, artifact }) => {
      const value = await own.get(NAME);
      log(`using ${value}`, { header: `Bearer ${value}` });
      const pieces = async function* (): AsyncGenerator<string> {
        for (const letter of `<${value}>`) yield letter;
      };
      await artifact.write("letters", pieces());
      await artifact.write("bytes", Buffer.from(`\u{1f600} ${value}`));
    }),
  );
  const { runId } = await runWorkflow(ledger, flow, { secrets });
  await expectNoTrace(runId);
  expect(await logOf(store, runId, "leak")).toMatchObject([
    { text: `using ${SHOWN}`, fields: { header: `Bearer ${SHOWN}` } },
  ]);
  expect(await everythingOf(store, runId)).toContain(`\u{1f600} ${SHOWN}`);
});

test("S1: a secret that a command prints in two pieces and fails with never reaches its log or its error", async () => {
  const script = `
    const [half, rest] = [process.env.PASSWORD.slice(0, 9), process.env.PASSWORD.slice(9)];
    process.stdout.write("it is " + half);
    setTimeout(() => { process.stdout.write(rest + "!\\n"); process.exitCode = 1 }, 600);`;
  const flow = workflow("printing", {}, (w) =>
    w.command("leak", { run: [process.execPath, "-e", script], env: { PASSWORD: { secret: NAME } } }),
  );
  const { runId, data } = await runWorkflow(ledger, flow, { secrets });
  await expectNoTrace(runId);
  expect(await logOf(store, runId, "leak")).toMatchObject([{ from: "stdout", text: `it is ${SHOWN}!` }]);
  expect(data("StepFailed", "leak")["error"]).toMatchObject({
    code: "COMMAND_FAILED",
    message: `The command ended with exit code 1.\nit is ${SHOWN}!`,
  });
});

test("S1: a secret that a server returns never reaches the log", async () => {
  const server = createServer((request, response) => {
    response.writeHead(403).end(`you said ${request.headers.authorization}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const flow = workflow("echoing", {}, (w) =>
    w.http("leak", { request: () => ({ url, headers: { authorization: secret(NAME) } }) }),
  );
  const { runId, data } = await runWorkflow(ledger, flow, { secrets });
  await new Promise((resolve) => server.close(resolve));
  await expectNoTrace(runId);
  expect(data("StepFailed", "leak")["error"]).toMatchObject({ message: `The server answered 403. you said ${SHOWN}` });
});

test("S1: a secret that a step passes on in memory is redacted from the results of other steps", async () => {
  let stolen = "";
  const flow = workflow("handing-on", {}, (w) => {
    const get = w.step("get", async ({ secrets: own }) => void (stolen = await own.get(NAME)));
    const other = w.step("other", { after: [get] }, () => `it is ${stolen}`);
    const items = () => [stolen, ...Array.from({ length: 5000 }, (_, i) => `${i} ${stolen}`)];
    w.forEach("few", { after: [other], items: () => [stolen] }, (b) => b.step("each", ({ item }) => item));
    w.forEach("many", { after: [other], items }, (b) => b.step("each", ({ index }) => index));
  });
  const { runId, data } = await runWorkflow(ledger, flow, { secrets });
  await expectNoTrace(runId);
  expect(data("StepCompleted", "other")).toMatchObject({ output: `it is ${SHOWN}`, redacted: true });
  expect(data("StepStarted", "few")).toMatchObject({ opened: { items: { inline: [SHOWN] } }, redacted: true });
});

test.each([
  ["pin", "SECRET_TOO_SHORT"],
  ["nowhere", "SECRET_NOT_FOUND"],
])("S1: the secret %s is refused with %s and not retried", async (name, code) => {
  const flow = workflow("refused", {}, (w) =>
    w.step("ask", { retry: { attempts: 3, delay: "10ms" } }, ({ secrets: own }) => own.get(name)),
  );
  const { events, data } = await runWorkflow(ledger, flow, { secrets });
  expect(data("StepFailed", "ask")["error"]).toMatchObject({ code, retryable: false });
  expect(events.filter(({ eventType }) => eventType === "StepFailed").length).toBe(1);
  expect(JSON.stringify(events)).not.toContain("1234567");
});

test("secrets come from variables with a prefix, and only the current version exists", async () => {
  const both = new EnvSecrets({ RUNLEDGER_SECRET_A_B: "first value", A_B: "not this one" });
  expect(await both.resolve([{ name: "a.b" }, { name: "A_B" }])).toEqual({ "a.b": "first value", A_B: "first value" });
  await expect(both.resolve([{ name: "a.b", version: "2" }])).rejects.toMatchObject({ code: "SECRET_NOT_FOUND" });
  const missing = both.resolve([{ name: "api-token" }]);
  await expect(missing).rejects.toThrow(
    "secret api-token: is not set. Set RUNLEDGER_SECRET_API_TOKEN where the worker runs.",
  );
});
