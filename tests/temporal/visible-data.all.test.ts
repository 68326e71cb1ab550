// @module-tag T-19
/** A Temporal server reads nothing of encrypted runs, and finds runs by the search attributes that it defines. */
import { describeWith } from "@runledger/test-support/requirements";
import { requireTemporal, TemporalServer } from "@runledger/test-support/temporal-server";
import { until } from "@runledger/test-support/until";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporalProject } from "./temporal-project.js";
import { confidential, waiting, wide } from "./workflows.mjs";

const keyOf = (byte: number): string => Buffer.alloc(32, byte).toString("base64");
const OLD = `old:${keyOf(1)}`;
const NEW = `new:${keyOf(2)}`;

describeWith("data on a Temporal server", [requireTemporal], () => {
  let server: TemporalServer;
  beforeAll(async () => {
    server = await TemporalServer.start();
  });
  afterAll(() => server?.stop());

  /** Returns everything that the server stores about the run, as text. */
  async function stored(runId: string): Promise<string> {
    const { json, payloads } = await server.history(runId);
    return [json, ...payloads].join("\n");
  }

  test("with keys, the history of a run contains nothing of its plan and its data, also after a rotation", async () => {
    const { ledger, worker, events } = await temporalProject("encrypted", { address: server.address });
    const plain = await worker();
    const readable = await ledger.start(confidential, { tenantId: "classified" });
    await until(async () => (await events(readable.id)).some(({ eventType }) => eventType === "RunStarted"));
    await until(async () => (await stored(readable.id)).includes("classified"));
    plain.kill("SIGKILL");

    const first = await worker({ RUNLEDGER_TEMPORAL_KEYS: OLD });
    const run = await ledger.start(confidential, { tenantId: "classified" });
    await until(async () => (await events(run.id)).some(({ stepId }) => stepId === "classifiedSignal"));
    first.kill("SIGKILL");
    await worker({ RUNLEDGER_TEMPORAL_KEYS: `${NEW},${OLD}` });
    for (const { id } of [run, readable]) await ledger.signal(id, "classifiedSignal", "classified payload");
    expect(await run.result()).toBe("classified output");
    expect(await readable.result()).toBe("classified output"); // it was started without keys

    const text = await stored(run.id);
    expect(text.toLowerCase()).not.toContain("classified");
    for (const id of ["old", "new"]) expect(text).toContain(Buffer.from(id).toString("base64"));
  });

  test("executions are found by workflow, tenant and status where the namespace defines them", async () => {
    await server.createNamespace("searched");
    await server.defineAttributes("searched", ["RunledgerWorkflow", "RunledgerTenant", "RunledgerStatus"]);
    const options = { address: server.address, namespace: "searched", continueAfterSteps: 5 };
    const { ledger, worker } = await temporalProject("searched", options);
    await worker();
    const found = async (query: string) => (await server.executions(query, "searched")).map((each) => each.workflowId);
    const run = await ledger.start(waiting, { tenantId: "acme" });
    const other = await ledger.start(waiting, { tenantId: "umbrella" });
    const acme = 'RunledgerWorkflow = "waiting" AND RunledgerTenant = "acme"';
    await until(async () => (await found(`${acme} AND RunledgerStatus = "RUNNING"`)).join() === run.id);
    for (const { id } of [run, other]) for (const name of ["go", "stop"]) await ledger.signal(id, name, 1);
    await run.result();
    await until(async () => (await found(`${acme} AND RunledgerStatus = "COMPLETED"`)).join() === run.id);

    const long = await ledger.start(wide, { input: { count: 12 } });
    await long.result();
    await until(async () => (await found('RunledgerWorkflow = "wide" AND RunledgerStatus = "COMPLETED"')).length === 1);
    expect(new Set(await found('RunledgerWorkflow = "wide"'))).toEqual(new Set([long.id]));
    expect((await found('RunledgerWorkflow = "wide"')).length).toBeGreaterThan(1); // continued as new
  });

  test("attributes that the namespace does not define are left out", async () => {
    await server.createNamespace("partly");
    await server.defineAttributes("partly", ["RunledgerTenant"]);
    const { ledger, worker } = await temporalProject("partly", { address: server.address, namespace: "partly" });
    await worker();
    const run = await ledger.start(waiting, { tenantId: "acme" });
    const found = () => server.executions('RunledgerTenant = "acme"', "partly");
    await until(async () => (await found()).some(({ workflowId }) => workflowId === run.id));
    for (const name of ["go", "stop"]) await ledger.signal(run.id, name, 1);
    expect(await run.result()).toBe(1);
  });
});
