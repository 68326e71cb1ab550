/** `runledger serve` as a real process, beside a worker, on a real database. */
import { RunledgerClient } from "@runledger/client";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "../support/fresh-database.js";
import { freshProject, runledger, startRunledger, type Where } from "../support/runledger-command.js";

const config = `import { defineConfig } from "runledger";
export default defineConfig({ workflows: ["./workflows.ts"] });`;
const workflows = `import { workflow } from "runledger";
export const greet = workflow("greet", { version: "1" }, (w) => {
  const release = w.waitForSignal("release");
  return w.step("hello", { needs: { release } }, () => "hello");
});`;

async function project(): Promise<Where> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const cwd = freshProject({ "runledger.config.ts": config, "workflows.ts": workflows });
  return { cwd, env: { RUNLEDGER_STORE: database.url, XDG_STATE_HOME: cwd } };
}

test("[U-10] a run goes through two processes, and the server ends with 0", async () => {
  const where = await project();
  const server = startRunledger(where, "serve", "--port", "0", "--json");
  const { url, roles, token } = JSON.parse(await server.says(/^\{.*\}$/m)) as {
    url: string;
    roles: string[];
    token: string;
  };
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

test("[U-03] what stands in the way of a server is one line that says what to do", async () => {
  const where = await project();
  const first = startRunledger(where, "serve", "--port", "0");
  const [, port] = /127\.0\.0\.1:(\d+)/.exec(await first.says(/API +\S+/))!;
  const taken = await runledger(where, "serve", "--port", port!);
  expect(taken).toMatchObject({ code: 3, stdout: "" });
  expect(taken.stderr).toMatch(/^error LISTEN_FAILED {2}.*another process has it\. .*--port\.\n$/);
  const outbox = await runledger(where, "serve", "--roles", "api,outbox");
  expect(outbox).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^error ROLE_UNAVAILABLE {2}.*outbox/) as string,
  });
  const typo = await runledger(where, "serve", "--roles", "apy");
  expect(typo).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error OPTION_INVALID {2}roles: apy/) as string,
  });
});

test("[U-13] keys and the token are handled on the command line, and a running server follows", async () => {
  const where = await project();
  const server = startRunledger(where, "serve", "--port", "0", "--json");
  const { url, token } = JSON.parse(await server.says(/^\{.*\}$/m)) as { url: string; token: string };
  const me = (credential: string) => new RunledgerClient({ url, token: credential }).getMe();
  expect((await runledger(where, "keys", "token")).stdout).toBe(`${token}\n`);
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
  expect(JSON.parse(await again.says(/^\{.*\}$/m))).toMatchObject({ token: rotated }); // an open tab goes on
  for (const secretText of [token, secret, rotated])
    expect(server.output.replace(/^\{.*\}$/m, "")).not.toContain(secretText);
});
