// @module-tag T-16
/**
 * A deployment replaces the code of workers while runs are open. With RUNLEDGER_RECORD=1, it also records the histories
 * that `npm test` replays against the code of every later version.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { workflow } from "runledger";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { describeWith } from "@runledger/test-support/requirements";
import { writeFiles } from "@runledger/test-support/runledger-command";
import { requireTemporal, TemporalServer } from "@runledger/test-support/temporal-server";
import { until } from "@runledger/test-support/until";
import { temporalProject } from "./temporal-project.js";
import { collect, mixed, slow, wide } from "./workflows.mjs";

const folder = inRepository("tests/histories/temporal");

/** A workflow whose second version returns something else. */
const versioned = (version: string) => `workflow("versioned", { version: "${version}" }, (w) => {
  const go = w.waitForSignal("go");
  return w.step("last", { after: [go] }, () => "version ${version}");
})`;
const deployed = (...versions: readonly string[]): string =>
  `import { workflow } from "runledger";\n${versions.map((each) => `export const v${each} = ${versioned(each)};`).join("\n")}`;

describeWith("deploying on a Temporal server", [requireTemporal], () => {
  let server: TemporalServer;
  beforeAll(async () => {
    server = await TemporalServer.start();
  }, 1_800_000);
  afterAll(() => server?.stop());

  test("an open run continues with its version of the plan", async () => {
    const { cwd, ledger, worker, count } = await temporalProject("versions", { address: server.address });
    const version = (name: string) =>
      workflow("versioned", { version: name }, (w) => {
        const go = w.waitForSignal("go");
        return w.step("last", { after: [go] }, () => `version ${name}`);
      });
    writeFiles(cwd, { "workflows.mjs": deployed("1") });
    const before = await worker();
    const old = await ledger.start(version("1"));
    await until(async () => (await count(old.id, "StepStarted")) === 1);
    before.kill("SIGTERM");
    await before.ended;
    writeFiles(cwd, { "workflows.mjs": deployed("1", "2") });
    await worker();
    const young = await ledger.start(version("2"));
    for (const run of [old, young]) await ledger.signal(run.id, "go", null);
    expect(await old.result()).toBe("version 1");
    expect(await young.result()).toBe("version 2");
  });

  test("histories of several shapes can be recorded", async () => {
    const { ledger, worker, count } = await temporalProject("record", {
      address: server.address,
      continueAfterSteps: 5,
    });
    await worker();
    const signalled = await ledger.start(collect);
    for (let at = 0; at < 10; at++) await ledger.signal(signalled.id, "next", at);
    const stopped = await ledger.start(slow);
    await until(async () => (await count(stopped.id, "StepStarted")) === 1);
    await ledger.act(stopped.id, "CANCEL");
    const runs = {
      signals: signalled,
      stopped,
      wide: await ledger.start(wide, { input: { count: 12 } }),
      mixed: await ledger.start(mixed),
    };
    await Promise.all(Object.values(runs).map((run) => run.result().catch(() => {})));
    const histories: Record<string, string> = {};
    for (const [name, { id }] of Object.entries(runs)) {
      await until(async () =>
        (await server.executions(`WorkflowId = "${id}"`)).every(({ status }) => status !== "RUNNING"),
      );
      const executions = await server.executions(`WorkflowId = "${id}"`);
      for (const [at, { runId }] of executions.toReversed().entries())
        histories[`${name}-${at + 1}.json`] = withoutNames((await server.history(id, runId)).json);
    }
    expect(Object.keys(histories).length).toBeGreaterThan(6);
    if (process.env["RUNLEDGER_RECORD"] !== "1") return;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const [name, history] of Object.entries(histories)) writeFileSync(join(folder, name), history);
  });
});

/** A line per event, without the names of the machine's processes. */
function withoutNames(json: string): string {
  const { events } = JSON.parse(json.replaceAll(/"identity": "[^"]*"/g, '"identity": "worker"')) as {
    events: unknown[];
  };
  return `{"events":[\n${events.map((event) => JSON.stringify(event)).join(",\n")}\n]}\n`;
}
