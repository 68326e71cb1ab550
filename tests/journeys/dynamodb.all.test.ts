// @module-tag H-04
/** The product on DynamoDB: a table is made, a worker is killed, another resumes its run, and the server shows it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { RunledgerClient } from "@runledger/client";
import { dynamoVariables, requireDynamoDb } from "@runledger/test-support/dynamodb-local";
import { describeWith } from "@runledger/test-support/requirements";
import {
  freshFolder,
  freshProject,
  runledger,
  startRunledger,
  type Where,
} from "@runledger/test-support/runledger-command";
import { serviceAddress } from "@runledger/test-support/service-address";
import { until } from "@runledger/test-support/until";
import { expect, test } from "vitest";

const config = `import { defineConfig } from "runledger";
export default defineConfig({ workflows: ["./workflows.js"], worker: { leaseMs: 2000 } });`;

/** The first step finishes when the test creates a file. */
const workflows = `import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { workflow } from "runledger";
export const slow = workflow("slow", { version: "1" }, (w) => {
  const long = w.step("long", async () => { while (!existsSync("go")) await sleep(20); return process.pid; });
  const release = w.waitForSignal("release", { after: [long] });
  return w.step("last", { needs: { long }, after: [release] }, ({ needs }) => needs.long);
});`;

async function project(): Promise<Where> {
  const endpoint = encodeURIComponent(await serviceAddress("dynamodb"));
  const store = `dynamodb://local/journey-${process.pid}-${Date.now()}?endpoint=${endpoint}`;
  const cwd = freshProject({ "runledger.config.js": config, "workflows.js": workflows });
  return { cwd, env: { ...dynamoVariables, RUNLEDGER_STORE: store, XDG_STATE_HOME: cwd } };
}

async function ok(where: Where, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runledger(where, ...args);
  expect(code, stderr).toBe(0);
  return stdout;
}

describeWith("on DynamoDB Local", requireDynamoDb, () => {
  test("a run whose worker is killed resumes, gets its signal, completes, is verified and exported", async () => {
    const where = await project();
    expect(await ok(where, "store", "migrate")).toContain("up to date");
    const server = startRunledger(where, "serve", "--port", "0", "--json");
    const { url } = JSON.parse(await server.says(/^\{.*\}$/m)) as { url: string };
    const first = startRunledger(where, "worker");
    await first.says("Next ");
    const { runId } = JSON.parse(await ok(where, "run", "slow", "--json")) as { runId: string };
    const events = startRunledger(where, "events", runId, "--follow");
    await events.says(/StepStarted +long/);

    first.kill("SIGKILL");
    expect(await first.ended).toEqual({ code: null, signal: "SIGKILL" });
    const second = startRunledger(where, "worker");
    await events.says("RunTakenOver");
    writeFileSync(join(where.cwd, "go"), "");
    await events.says(/StepStarted +release/);
    await ok(where, "signal", runId, "release");
    await ok(where, "watch", runId);
    const client = new RunledgerClient({ url, token: (await ok(where, "keys", "token")).trim() });
    await until(async () => (await client.listRuns()).items[0]?.status === "COMPLETED");

    await ok(where, "store", "verify");
    expect(await ok(where, "store", "export", "--to", "exported")).toContain("1 run");
    for (const each of [second, server]) each.kill("SIGTERM");
    expect(await server.ended).toEqual({ code: 0, signal: null });
  });
});

test("the definition of a table in DynamoDB is printed without a connection", async () => {
  const where = { cwd: freshFolder(), env: { RUNLEDGER_STORE: "dynamodb://eu-central-1/my-runs" } };
  const { code, stdout } = await runledger(where, "store", "migrate", "--print");
  expect(code).toBe(0);
  for (const text of ["AWS::DynamoDB::Table", "aws_dynamodb_table", "my-runs"]) expect(stdout).toContain(text);
});
