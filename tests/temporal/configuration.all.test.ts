// @module-tag T-01
/** The engine is a choice of the workers' configuration. Everything else stays as it is. */
import { RunledgerClient } from "@runledger/client";
import { describeWith } from "@runledger/test-support/requirements";
import { runledger, startRunledger, type Running, type Where } from "@runledger/test-support/runledger-command";
import { requireTemporal, TemporalServer } from "@runledger/test-support/temporal-server";
import { until } from "@runledger/test-support/until";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporalProject, type TemporalProject } from "./temporal-project.js";
import { greet, waiting } from "./workflows.mjs";

async function json<T>(where: Where, ...args: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await runledger(where, ...args, "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as T;
}

describeWith("a project on a Temporal server", [requireTemporal], () => {
  let server: TemporalServer;
  beforeAll(async () => {
    server = await TemporalServer.start();
  });
  afterAll(() => server?.stop());

  /** Returns the task queues that executed the run. */
  async function queuesOf(runId: string): Promise<readonly string[]> {
    const queues = [...(await server.history(runId)).json.matchAll(/"name": "(queue-\w+)"/g)].map(([, name]) => name!);
    return [...new Set(queues)];
  }

  async function greeted({ ledger }: TemporalProject): Promise<string> {
    const run = await ledger.start(greet);
    expect(await run.result()).toBe("hello");
    return run.id;
  }

  test("the configuration, RUNLEDGER_ENGINE and --engine each name the cluster, the later one first", async () => {
    const project = await temporalProject("queue-config", { address: server.address });
    const url = (queue: string) => `temporal://${server.address}/default?taskQueue=queue-${queue}`;
    const RUNLEDGER_ENGINE = url("environment");
    const ways: readonly (readonly [string, () => Running])[] = [
      ["queue-config", () => startRunledger(project, "worker")],
      ["queue-environment", () => startRunledger({ ...project, env: { ...project.env, RUNLEDGER_ENGINE } }, "worker")],
      [
        "queue-option",
        () =>
          startRunledger(
            { ...project, env: { ...project.env, RUNLEDGER_ENGINE } },
            "worker",
            "--engine",
            url("option"),
          ),
      ],
    ];
    for (const [queue, start] of ways) {
      const worker = start();
      await worker.says("Engine    temporal");
      expect(await queuesOf(await greeted(project))).toEqual([queue]);
      worker.kill("SIGTERM");
      await worker.ended;
    }
    const embedded = startRunledger(project, "worker", "--engine", "embedded");
    await embedded.says("Next ");
    const runId = await greeted(project);
    expect(await server.executions(`WorkflowId = "${runId}"`)).toEqual([]);
  });

  test("the ledger, commands and the API steer runs on the cluster as they do elsewhere", async () => {
    const project = await temporalProject("queue-steered", { address: server.address });
    const { ledger } = project;
    await project.worker();

    const signaled = await ledger.start(waiting);
    await ledger.signal(signaled.id, "go", 1);
    await ledger.signal(signaled.id, "stop", null);
    expect(await (await ledger.get(waiting, signaled.id)).result()).toBe(1);
    const fork = await ledger.fork(signaled, { from: "last" });
    expect(await fork.result()).toBe(1);
    const stopped = await ledger.start(waiting);
    await ledger.act(stopped.id, "CANCEL");
    await until(async () => (await project.count(stopped.id, "RunCancelled")) === 1);

    const { runId } = await json<{ runId: string }>(project, "run", "waiting");
    await runledger(project, "signal", runId, "go", "2");
    await runledger(project, "signal", runId, "stop");
    expect(await json(project, "result", runId)).toMatchObject({ status: "COMPLETED", output: 2 });

    const serving = startRunledger(project, "serve", "--port", "0", "--json");
    const { url } = JSON.parse(await serving.says(/^\{"url".*\}$/m)) as { url: string };
    const token = (await runledger(project, "keys", "token")).stdout.trim();
    const client = new RunledgerClient({ url, token });
    const started = await client.startRun({ workflow: "waiting" });
    await client.signal(started.runId, "go", 3);
    await client.signal(started.runId, "stop", null);
    await until(async () => (await client.getRun(started.runId)).status === "COMPLETED");

    for (const id of [signaled.id, fork.id, stopped.id, runId, started.runId])
      expect(await queuesOf(id)).toEqual(["queue-steered"]);
  });

  test("a worker of the embedded engine on a store without a queue is refused with the reason", async () => {
    const project = await temporalProject("queue-refused", { address: server.address });
    const env = { ...project.env, RUNLEDGER_STORE: "snowflake://loader@org-acme/OPS/LEDGER" };
    const { code, stderr } = await runledger({ ...project, env }, "worker", "--engine", "embedded");
    expect(code).not.toBe(0);
    expect(stderr).toContain("STORE_UNSUITABLE");
    expect(stderr).toContain("has no queue");
  });
});
