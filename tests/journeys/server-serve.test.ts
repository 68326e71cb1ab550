// @module-tag U-10
/** `runledger serve` as a real process beside a worker, on a real database. */
import { RunledgerClient } from "@runledger/client";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshProject, startRunledger, type Where } from "@runledger/test-support/runledger-command";

const config = `import { defineConfig } from "runledger";
export default defineConfig({ workflows: ["./workflows.js"] });`;
const workflows = `import { workflow } from "runledger";
export const greet = workflow("greet", { version: "1" }, (w) => {
  const release = w.waitForSignal("release");
  return w.step("hello", { needs: { release } }, () => "hello");
});`;

async function project(configuration = config): Promise<Where> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const cwd = freshProject({ "runledger.config.js": configuration, "workflows.js": workflows });
  return { cwd, env: { RUNLEDGER_STORE: database.url, XDG_STATE_HOME: cwd } };
}

async function localToken(where: Where): Promise<string> {
  return (await runledger(where, "keys", "token")).stdout.trim();
}

test("a server and a worker run a workflow, and both exit with 0", async () => {
  const where = await project();
  const server = startRunledger(where, "serve", "--port", "0", "--json");
  const { url, roles } = JSON.parse(await server.says(/^\{.*\}$/m)) as { url: string; roles: string[] };
  const token = await localToken(where);
  expect(roles).toContain("api");
  const worker = startRunledger(where, "worker");
  const client = new RunledgerClient({ url, token });
  const { runId } = await client.startRun({ workflow: "greet", requestId: "once" });
  expect(await client.startRun({ workflow: "greet", requestId: "once" })).toMatchObject({ runId, created: false });
  await client.signal(runId, "release", null);
  const types: string[] = [];
  for await (const { eventType } of client.streamRun(runId)) types.push(eventType);
  expect(types.at(-1)).toBe("RunCompleted");
  server.kill("SIGTERM");
  expect(await server.ended).toEqual({ code: 0, signal: null });
  worker.kill("SIGTERM");
  expect(await worker.ended).toEqual({ code: 0, signal: null });
});

test("the hook of the configuration denies an action, and the run's log records it", { tags: ["R-10"] }, async () => {
  const hook = `({ name, runId }) => name === "CANCEL" ? { allowed: false, reason: "change freeze" } : { allowed: true }`;
  const where = await project(`export default { workflows: ["./workflows.js"], server: { authorize: ${hook} } };`);
  const server = startRunledger(where, "serve", "--port", "0", "--json");
  const { url } = JSON.parse(await server.says(/^\{.*\}$/m)) as { url: string };
  const client = new RunledgerClient({ url, token: await localToken(where) });
  const { runId } = await client.startRun({ workflow: "greet" });
  await expect(client.act(runId, "cancel")).rejects.toMatchObject({ code: "SIGNAL_REJECTED" });
  await client.signal(runId, "release", null);
  const { items } = await client.listEvents(runId);
  expect(
    items.slice(1).map(({ eventType, eventData }) => [eventType, (eventData as { reason?: string }).reason]),
  ).toEqual([
    ["SignalRejected", "not allowed: change freeze"],
    ["SignalAccepted", undefined],
  ]);
  const wrong = await project(`export default { workflows: ["./workflows.js"], server: { authorize: "ada" } };`);
  expect((await runledger(wrong, "serve", "--port", "0")).stderr).toContain("server.authorize must be a function");
});

test("serve reports a port in use and an invalid role in one line with a remedy", { tags: ["U-03"] }, async () => {
  const where = await project();
  const first = startRunledger(where, "serve", "--port", "0");
  const [, port] = /127\.0\.0\.1:(\d+)/.exec(await first.says(/API +\S+/))!;
  const taken = await runledger(where, "serve", "--port", port!);
  expect(taken).toMatchObject({ code: 3, stdout: "" });
  expect(taken.stderr).toMatch(/^error LISTEN_FAILED {2}.*another process uses this port\. .*--port\.\n$/);
  const warehouse = await runledger(where, "serve", "--roles", "api,outbox", "--store", "snowflake://u@a/DB/S");
  expect(warehouse).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^error ROLE_UNAVAILABLE {2}.*api/) as string,
  });
  const typo = await runledger(where, "serve", "--roles", "apy");
  expect(typo).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error OPTION_INVALID {2}roles: contains the unknown role apy/) as string,
  });
});

test("a running server follows keys and tokens that commands change", { tags: ["U-13"] }, async () => {
  const where = await project();
  const server = startRunledger(where, "serve", "--port", "0", "--json");
  const { url } = JSON.parse(await server.says(/^\{.*\}$/m)) as { url: string };
  const token = await localToken(where);
  const me = (credential: string) => new RunledgerClient({ url, token: credential }).getMe();
  const made = await runledger(
    where,
    "keys",
    "create",
    "--name",
    "ci",
    "--role",
    "operator",
    "--expires",
    "90d",
    "--json",
  );
  const { key, secret } = JSON.parse(made.stdout) as { key: { keyId: string }; secret: string };
  expect(await me(secret)).toMatchObject({ name: "ci", role: "operator", tenantId: "default" });
  const listed = await runledger(where, "keys", "list");
  expect(listed.stdout).toMatch(new RegExp(`^${key.keyId}   operator   default   ci   until .*\\n$`));
  expect(listed.stdout).not.toContain(secret.slice(-43));
  expect(await runledger(where, "keys", "revoke", key.keyId)).toMatchObject({ code: 0 });
  expect(await runledger(where, "keys", "revoke", "key_nope")).toMatchObject({ code: 2 });
  expect(await runledger(where, "keys", "rotate")).toMatchObject({ code: 0 });
  await expect.poll(() => me(secret).catch((error: unknown) => error)).toMatchObject({ status: 401 });
  await expect.poll(() => me(token).catch((error: unknown) => error)).toMatchObject({ status: 401 });
  const rotated = (await runledger(where, "keys", "token")).stdout.trim();
  expect(await me(rotated)).toMatchObject({ role: "admin", allTenants: true });
  server.kill("SIGKILL");
  const again = startRunledger(where, "serve", "--port", "0", "--json");
  await again.says(/^\{.*\}$/m);
  expect(await localToken(where)).toBe(rotated); // so an open browser tab keeps working
  for (const secretText of [token, secret, rotated]) expect(server.output).not.toContain(secretText);
});

test.each([
  ["authentication", ["--auth", "keys"]],
  ["allowed hosts", ["--allowed-hosts", "runs.example.com"]],
  ["a proxy", ["--trust-proxy", "127.0.0.1"]],
])("a server with %s has no local token", { tags: ["R-22"] }, async (_, options) => {
  const where = await project();
  const server = startRunledger(where, "serve", "--port", "0", ...options);
  await server.says(/Stop /);
  expect(await runledger(where, "keys", "token")).toMatchObject({ code: 2, stdout: "" });
  expect(server.output).toContain("log in with an API key");
});

test("a server prints the local token to terminals only", { tags: ["R-22"] }, async () => {
  const where = await project();
  const server = startRunledger(where, "serve", "--port", "0");
  await server.says(/Stop /);
  const token = await localToken(where);
  expect(token).toMatch(/^rlt_/);
  expect(server.output).toContain("runledger keys token");
  expect(server.output).not.toContain(token);
});

test.each([
  ["a missing file that was named", {}, ["--config", "nowhere.config.js"], "CONFIG_NOT_FOUND", {}],
  ["a syntax error", { "runledger.config.ts": "export default {{" }, [], "CONFIG_INVALID", {}],
  ["an error while it loads", { "runledger.config.ts": "throw new Error('no vault')" }, [], "CONFIG_INVALID", {}],
  ["no configuration inside", { "runledger.config.ts": "export const a = 1" }, [], "CONFIG_INVALID", {}],
  ["TypeScript in production", { "runledger.config.ts": config }, [], "CONFIG_INVALID", { NODE_ENV: "production" }],
])(
  "serve does not start with a configuration that has %s",
  { tags: ["R-22"] },
  async (_, files, options, code, env) => {
    const cwd = freshProject({ "workflows.js": workflows, ...files });
    const where = { cwd, env: { RUNLEDGER_STORE: "memory:", XDG_STATE_HOME: cwd, ...env } };
    const ended = await runledger(where, "serve", "--port", "0", ...options);
    expect(ended).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(`error ${code} `) as string });
  },
);
