// @module-tag R-25
/** Two tenants on the command line: a server, a worker of one tenant, and callers of both, as real processes. */
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { freshProject, runledger, startRunledger, type Where } from "@runledger/test-support/runledger-command";

const config = `import { defineConfig } from "runledger";
export default defineConfig({ workflows: ["./workflows.ts"] });`;
const workflows = `import { workflow } from "runledger";
const size = (w) => w.step("size", async ({ secrets }) => (await secrets.get("api-token")).length);
export const own = workflow("own", { version: "1", visibility: { tenants: ["acme"] } }, size);
export const common = workflow("common", { version: "1" }, size);`;

async function json<T>(where: Where, ...args: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await runledger(where, ...args, "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout.trim().split("\n").at(-1)!) as T;
}

test(
  "a worker of a tenant, its secrets and its workflows do not serve another tenant",
  { timeout: 300_000 },
  async () => {
    const database = await freshDatabase();
    onTestFinished(() => database.drop());
    const cwd = freshProject({ "runledger.config.ts": config, "workflows.ts": workflows });
    const env = { RUNLEDGER_STORE: database.url, XDG_STATE_HOME: cwd };
    const serving = startRunledger({ cwd, env }, "serve", "--port", "0", "--json");
    const { url } = JSON.parse(await serving.says(/^\{.*\}$/m)) as { url: string };
    const secrets = {
      RUNLEDGER_SECRET_ACME__API_TOKEN: "a".repeat(20),
      RUNLEDGER_SECRET_OTHER__API_TOKEN: "b".repeat(30),
    };
    const worker = startRunledger({ cwd, env: { ...env, ...secrets } }, "worker", "--tenant", "acme");
    expect(await worker.says(/Tenants +\w+/)).toMatch(/acme/);
    const elsewhere = freshProject({});
    const as = async (tenant: string): Promise<Where> => {
      const create = ["keys", "create", "--name", tenant, "--role", "operator", "--tenant", tenant];
      const { secret } = await json<{ secret: string }>({ cwd, env }, ...create);
      return { cwd: elsewhere, env: { RUNLEDGER_SERVER: url, RUNLEDGER_KEY: secret } };
    };
    const [acme, other] = [await as("acme"), await as("other")];

    expect(await runledger(other, "run", "own")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("error WORKFLOW_NOT_FOUND") as string,
    });
    const { runId } = await json<{ runId: string }>(other, "run", "common");
    expect((await runledger({ cwd, env }, "run", "own", "--tenant", "other")).stderr).toContain("WORKFLOW_NOT_FOUND");
    for (const workflow of ["own", "common"]) {
      const started = await json<{ runId: string }>(acme, "run", workflow);
      const size = async () => (await runledger(acme, "result", started.runId)).stdout.trim();
      await expect.poll(size, { interval: 500 }).toBe("20");
    }
    expect((await runledger(other, "queue", "why", runId)).stdout).toContain("no worker for common 1");
    expect((await runledger(acme, "show", runId)).code).not.toBe(0);

    const sharing = { ...secrets, RUNLEDGER_SECRET_API_TOKEN: "c".repeat(40) };
    await startRunledger({ cwd, env: { ...env, ...sharing } }, "worker", "--tenant", "other,third").says("Next ");
    const result = async () => (await runledger(other, "result", runId)).stdout.trim();
    await expect.poll(result, { interval: 500 }).toBe("30");
  },
);
