// @module-tag U-35
/** End-to-end journeys through the console. */
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { workflow } from "runledger";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { freshProject, Running } from "@runledger/test-support/runledger-command";
import { accessibilityFaults, expectNoFaults, openTab } from "./support/page.js";
import { site } from "./support/site.js";
import { heartbeat, invoices, repaired, nightly, payout } from "./support/workflows.js";

const here = site([nightly, invoices, payout, heartbeat]);

test("a run that waits for approval is approved, and its log, artifact and output are shown", async () => {
  const tab = await openTab({ colorScheme: "dark" });
  const { page } = tab;
  const run = await here.ledger.start(payout);
  await page.goto(`${here.url}/runs`);
  const row = page.locator(`[data-run="${run.id}"]`);
  await row.locator('[data-status="PENDING"]').getByText("Needs approval").waitFor();
  await tab.picture("runs-waiting-dark");
  await row.getByRole("link", { name: "payout" }).click();
  await page.locator('.run-head [data-status="PENDING"]').getByText("Needs approval").waitFor();
  await tab.picture("run-waiting-dark");
  await page.getByRole("button", { name: "Approve" }).click();
  await page.locator('.run-head [data-status="COMPLETED"]').waitFor();
  await page.locator('[data-step="pay"]').click();
  await page.getByRole("tab", { name: "Logs" }).click();
  await page.getByText("paying").waitFor();
  await page.getByRole("tab", { name: "Artifacts" }).click();
  const receipt = page.locator(".artifacts li", { hasText: "receipt" });
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    receipt.getByRole("link", { name: "Download" }).click(),
  ]);
  expect(download.suggestedFilename()).toContain("pay-receipt");
  await page.getByRole("tab", { name: "Output" }).click();
  await page.locator(".json").getByText("paid").waitFor();
  expectNoFaults(tab);
});

/** Both processes have the same plan. The one that is killed never finishes the step. */
const IN_ANOTHER_PROCESS = `import { connect, workflow } from "runledger";
const copy = workflow("archive-copy", { version: "1.0.0" }, (w) => w.step("copy", () => new Promise(() => {})));
const ledger = await connect();
await ledger.worker({ workflows: [copy], leaseMs: 1000, pollMs: 50 });
console.log("works");
setInterval(() => {}, 1000);
`;

const copy = workflow("archive-copy", { version: "1.0.0" }, (w) =>
  w.step("copy", async () => {
    await sleep(300);
    return "copied";
  }),
);

test("the page shows the take-over after a worker is killed", async () => {
  const cwd = freshProject({ "main.mjs": IN_ANOTHER_PROCESS });
  const other = new Running({ cwd, env: { RUNLEDGER_STORE: here.databaseUrl } }, [join(cwd, "main.mjs")]);
  await other.says("works");
  const tab = await openTab();
  const { page } = tab;
  const run = await here.ledger.start(copy);
  await page.goto(`${here.url}/runs/${run.id}`);
  await page.locator('[data-step="copy"] [data-status="RUNNING"]').waitFor();
  other.kill("SIGKILL");
  const worker = await here.ledger.worker({ workflows: [copy], pollMs: 50 });
  await page.locator(".landmark.RunTakenOver").first().waitFor({ state: "attached" });
  await page.locator('.run-head [data-status="COMPLETED"]').waitFor();
  await page.locator('[data-step="copy"]').getByText("taken over").waitFor();
  await tab.picture("take-over-light");
  await page.locator('[data-step="copy"]').click();
  await page.getByText(/engine attempt \d/).waitFor();
  await worker.stop();
  expectNoFaults(tab);
});

test("a comparison of two runs marks the first difference", { tags: ["U-33"] }, async () => {
  repaired.invoices = false;
  const failed = await here.ledger.start(invoices);
  await failed.result().catch(() => {});
  repaired.invoices = true;
  const good = await here.ledger.start(invoices);
  await good.result();
  const tab = await openTab();
  const { page } = tab;
  await page.goto(`${here.url}/runs/${good.id}`);
  await page.getByRole("link", { name: "Compare" }).click();
  await page.getByText("Compare with").waitFor();
  await page.locator(".choice", { hasText: failed.id }).click();
  await page.locator('.compare-row.first[data-step="check"]').waitFor();
  expect(await page.locator('.compare-row[data-step="fetch"].differs').count()).toBe(0);
  await tab.picture("compare-light");
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(page.url()).toContain(`b=${failed.id}`);
  expectNoFaults(tab);
});

test("a viewer key that an admin creates can view runs but not control them", { tags: ["U-33"] }, async () => {
  const run = await here.ledger.start(nightly, { input: { day: "2026-11-14" } });
  const admin = await openTab();
  await admin.page.goto(`${here.url}/admin`);
  await admin.page.getByRole("button", { name: "Create key" }).click();
  await admin.page.getByLabel("Name").fill("night watch");
  await admin.page.getByRole("button", { name: "Create", exact: true }).click();
  const secret = await admin.page.getByLabel("Secret").inputValue();
  await admin.page.getByRole("button", { name: "Done" }).click();
  await admin.page.getByText("night watch").first().waitFor();
  const tab = await openTab({ isKnown: false });
  const { page } = tab;
  await page.goto(`${here.url}/?token=rlt_of_yesterday`);
  await page.getByRole("alert").getByText("The token in this link is invalid").waitFor();
  await page.goto(`${here.url}/runs/${run.id}`);
  await page.getByLabel("API key or token").fill("rlk_mistyped");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("alert").waitFor();
  await tab.picture("login-light");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByLabel("API key or token").fill(secret);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.locator('.run-head [data-status="RUNNING"]').waitFor();
  const cancel = page.getByRole("button", { name: "Cancel" });
  expect(await cancel.isDisabled()).toBe(true);
  expect(await cancel.getAttribute("title")).toContain("Requires the operator role; you have viewer.");
  expect(await page.getByRole("link", { name: "Admin" }).count()).toBe(0);
  await page.goto(`${here.url}/admin`);
  await page.getByText("Only admins can view this page").waitFor();
  await admin.page.reload();
  await admin.page.getByText("createKey").first().waitFor();
  await admin.picture("admin-light");
  expect(await accessibilityFaults(admin.page)).toEqual([]);
  await admin.page
    .getByRole("row", { name: /night watch/ })
    .getByRole("button", { name: "Revoke" })
    .click();
  await admin.page.getByRole("dialog").getByText("cannot be restored").waitFor();
  await admin.page.getByRole("button", { name: "Revoke key" }).click();
  await admin.page.getByText("revoked", { exact: true }).waitFor();
  await page.goto(`${here.url}/runs`);
  await page.getByLabel("API key or token").waitFor();
  await here.ledger.act(run.id, "CANCEL");
  expectNoFaults(admin);
});

test("everything is reachable with the keyboard", async () => {
  repaired.invoices = true;
  const run = await here.ledger.start(invoices);
  await run.result();
  const tab = await openTab();
  const { page } = tab;
  await page.goto(`${here.url}/runs?workflow=invoice-sync`);
  await page.locator(`[data-run="${run.id}"]`).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(`/runs/${run.id}`));
  await page.locator('[data-step="fetch"]').waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "check" }).waitFor();
  await page.keyboard.press("g");
  await page.locator('.react-flow__node[data-id="post"]').waitFor();
  await page.keyboard.press("e");
  await page.locator('[data-seq="1"]').waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("heading", { name: "Run", exact: true }).waitFor();
  await page.keyboard.press("[");
  await page.waitForURL(/seq=\d+/);
  await page.keyboard.press("]");
  await page.keyboard.press("t");
  await page.keyboard.press("+");
  await page.waitForURL(/zoom=/);
  await page.keyboard.press("0");
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expectNoFaults(tab);
});

function behind(page: Page, runId: string) {
  return page.locator(`[data-run="${runId}"]`).getByText("catching up");
}

test("empty, failed, stale and disconnected states are shown and recover automatically", async () => {
  const run = await here.ledger.start(nightly, { input: { day: "2026-11-14" } });
  const own = await here.serve();
  const tab = await openTab({ colorScheme: "dark" });
  const { page } = tab;
  await page.goto(`${own.url}/runs?find=nothing-like-this&workflow=none`);
  await page.locator(".message").waitFor();
  await tab.picture("empty-dark");
  await page.goto(`${own.url}/no/such/page`);
  await page.getByText("Page not found").waitFor();
  await page.getByRole("link", { name: "View runs" }).waitFor();
  await tab.picture("nothing-here-dark");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.goto(`${own.url}/runs/run_that_never_was`);
  await page.getByRole("alert").getByText("RUN_NOT_FOUND").waitFor();
  await page.getByRole("alert").getByRole("link", { name: "View runs" }).waitFor();
  await tab.picture("error-dark");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.goto(`${own.url}/runs/${run.id}`);
  await page.locator('[data-step="release"] [data-status="WAITING"]').waitFor();
  await page.locator('[data-connection="connected"]').waitFor();
  await own.close();
  await page.locator('[data-connection="lost"]').waitFor();
  await tab.picture("disconnected-dark");
  expect(await accessibilityFaults(page)).toEqual([]);
  await run.signal("release", { by: "another tab" });
  await run.result();
  const again = await here.serve(Number(new URL(own.url).port));
  await page.locator('.run-head [data-status="COMPLETED"]').waitFor();
  await here.projector.stop();
  await run.signal("release", { by: "too late" }).catch(() => {}); // rejected, and recorded
  await page.goto(`${again.url}/runs`);
  await behind(page, run.id).waitFor();
  const projector = here.ledger.projector();
  await behind(page, run.id).waitFor({ state: "detached" });
  await projector.stop();
  await page.close();
  await again.close();
});
