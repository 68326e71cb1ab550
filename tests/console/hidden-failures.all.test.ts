// @module-tag R-30
/** The page of a run shows failures that a successful container hides, who cancelled a step, and lost events. */
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { workflow } from "runledger";
import { expect, test } from "vitest";
import { expectNoFaults, openTab } from "./support/page.js";
import { site } from "./support/site.js";

const tolerant = workflow("tolerant", { version: "1" }, (w) => {
  w.forEach("files", { items: () => [1, 2, 3, 4, 5] }, (body) =>
    body.step("parse", { continueOnFailure: true }, ({ item }) => {
      if (item % 2 === 0) throw new Error(`file ${item} is empty`);
      return item;
    }),
  );
});
const slow = workflow("slow", { version: "1" }, (w) =>
  w.step("wait", ({ signal }) => sleep(600_000, null, { signal })),
);
const short = workflow("short", { version: "1" }, (w) => w.step("one", () => 1));

const here = site([tolerant, slow, short]);

test("the graph shows a container that succeeded although items failed", async () => {
  const run = await here.ledger.start(tolerant);
  await run.result();
  const tab = await openTab();
  const { page } = tab;
  await page.goto(`${here.url}/runs/${run.id}`);
  await page.getByRole("tab", { name: "Graph" }).click();
  const node = page.locator('.graph-node[data-path="files"]');
  await node.getByText("2 failed").waitFor();
  expect(await node.getAttribute("data-status")).toBe("PARTLY_FAILED");
  await tab.picture("partly-failed-light");
  await node.click();
  await page.locator(".inspector").getByText("is empty").first().waitFor();
  expectNoFaults(tab);
});

test("a cancelled step names the operator who cancelled it", async () => {
  const run = await here.ledger.start(slow);
  await expect.poll(async () => (await run.snapshot()).steps.map(({ status }) => status)).toEqual(["RUNNING"]);
  await run.cancel({ by: "ada" });
  await run.result().catch(() => {});
  const tab = await openTab();
  await tab.page.goto(`${here.url}/runs/${run.id}?step=wait`);
  await tab.page.locator(".inspector").getByText("by ada").waitFor();
  await tab.picture("cancelled-by-light");
  expectNoFaults(tab);
});

test("a run whose log has lost events has a notice", async () => {
  const run = await here.ledger.start(short);
  await run.result();
  const client = new Client({ connectionString: here.databaseUrl });
  await client.connect();
  await client.query("DELETE FROM runledger.run_events WHERE run_id = $1 AND run_seq = 3", [run.id]);
  await client.end();
  const tab = await openTab();
  await tab.page.goto(`${here.url}/runs/${run.id}`);
  await tab.page.getByRole("alert").getByText("Event 3 is missing").waitFor();
  await tab.picture("damaged-light");
});
