// @module-tag D-02
/** Artifacts whose content expires by a policy (A8). */
import { workflow } from "runledger";
import { until } from "@runledger/test-support/until";
import { expect, test } from "vitest";
import { expectNoFaults, openTab } from "./support/page.js";
import { site } from "./support/site.js";

const report = workflow("report", { version: "1" }, (w) =>
  w.step("write", async ({ artifact }) => {
    await artifact.write("brief", "gone soon");
    await artifact.write("table", "a,b\n");
  }),
);

const here = site([report]);

test("an artifact shows when it expires, and an expired one has no content to open", async () => {
  const { ledger } = here;
  const run = await ledger.start(report);
  await run.result();
  await until(async () => (await ledger.store.archive.archiveRun(run.id)).archived);
  await ledger.retention.set({ kind: "artifacts", artifactKind: "brief", deleteAfter: "0s" });
  await ledger.retention.set({ kind: "artifacts", artifactKind: "table", deleteAfter: "30d" });
  await until(async () => (await ledger.retention.run()).artifacts === 1);
  const tab = await openTab();
  await tab.page.goto(`${here.url}/runs/${run.id}?step=write&tab=artifacts`);
  const items = tab.page.locator("ul.artifacts > li");
  await items
    .filter({ hasText: "brief" })
    .getByText(/^Expired /)
    .waitFor();
  await items
    .filter({ hasText: "table" })
    .getByText(/^Expires /)
    .waitFor();
  expect(await items.filter({ hasText: "brief" }).getByRole("link", { name: "Download" }).count()).toBe(0);
  expect(await items.filter({ hasText: "table" }).getByRole("link", { name: "Download" }).count()).toBe(1);
  await tab.picture("artifact-expiry-light");
  expectNoFaults(tab);
});
