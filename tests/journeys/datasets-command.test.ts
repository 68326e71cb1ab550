// @module-tag D-31
/** `runledger datasets` on a store and through a server. */
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshProject } from "@runledger/test-support/runledger-command";
import { until } from "@runledger/test-support/until";
import { connect, workflow } from "runledger";
import { expect, onTestFinished, test } from "vitest";

const load = workflow("load", { version: "1" }, (w) =>
  w.step("orders", { datasets: { reads: ["raw"], writes: [{ name: "shop.orders", freshFor: "1h" }] } }, () => 1),
);

test("a user lists datasets and sees who wrote one last", async () => {
  const database = await freshDatabase();
  const ledger = await connect(database.url);
  onTestFinished(async () => {
    await ledger.close();
    await database.drop();
  });
  const cwd = freshProject({});
  const datasets = (...args: readonly string[]) =>
    runledger({ cwd, env: { RUNLEDGER_STORE: database.url, XDG_STATE_HOME: cwd } }, "datasets", ...args);
  expect((await datasets("list")).stdout).toContain("No datasets.");
  await ledger.worker({ workflows: [load] });
  ledger.projector();
  const run = await ledger.start(load);
  await run.result();
  await until(async () => (await ledger.datasets.list()).length === 2);
  const { stdout } = await datasets("list");
  expect(stdout).toMatch(/raw +runledger +never written/);
  expect(stdout).toMatch(/shop\.orders +runledger +fresh .*load orders/);
  expect(JSON.parse((await datasets("list", "shop", "--json")).stdout)).toMatchObject({ name: "shop.orders" });
  const shown = await datasets("show", "shop.orders");
  expect(shown.stdout).toContain(`run ${run.id}, attempt 1`);
  expect(shown.stdout).toContain("upstream raw (runledger) through load orders");
  expect(await datasets("show", "shop.orders", "--namespace", "other")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("DATASET_NOT_FOUND") as string,
  });
});
