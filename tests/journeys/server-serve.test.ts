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
  return { cwd, env: { RUNLEDGER_STORE: database.url } };
}

test("[U-10] a run goes through two processes, and the server ends with 0", { timeout: 120_000 }, async () => {
  const where = await project();
  const server = startRunledger(where, "serve", "--port", "0", "--json");
  const { url, roles } = JSON.parse(await server.says(/^\{.*\}$/m)) as { url: string; roles: string[] };
  expect(roles).toContain("api");
  const worker = startRunledger(where, "worker");
  const client = new RunledgerClient({ url });
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

test("[U-03] what stands in the way of a server is one line that says what to do", { timeout: 120_000 }, async () => {
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
