/** What people come to the console for, each from its beginning to its end. */
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { workflow } from "runledger";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { freshProject, Running } from "../support/runledger-command.js";
import { accessibilityFaults, expectNoFaults, openTab } from "./support/page.js";
import { site } from "./support/site.js";
import { heartbeat, invoices, mended, nightly, payout } from "./support/workflows.js";

const here = site([nightly, invoices, payout, heartbeat]);

test("[U-35] a run that waits for approval is approved, and its log, artifact and output are there", async () => {
  const tab = await openTab({ colorScheme: "dark" });
  const { page } = tab;
  const run = await here.ledger.start(payout);
  await page.goto(`${here.url}/runs`);
  const row = page.locator(`[data-run="${run.id}"]`);
  await row.locator('[data-status="PENDING"]').getByText("Waiting").waitFor();
  await row.getByText("needs approval").waitFor();
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

/** The same plan in both; the process that dies works on it for ever. */
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

test("[U-35] a worker is killed, and the take-over is seen", async () => {
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

test("[U-33] [U-35] two runs are compared, and the first difference is marked", async () => {
  mended.invoices = false;
  const failed = await here.ledger.start(invoices);
  await failed.result().catch(() => {});
  mended.invoices = true;
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

test("[U-33] [U-35] an admin makes a key; who logs in with it sees, and may not steer", async () => {
  const run = await here.ledger.start(nightly, { day: "2026-11-14" });
  const admin = await openTab();
  await admin.page.goto(`${here.url}/admin`);
  await admin.page.getByRole("button", { name: "New key" }).click();
  await admin.page.getByLabel("Name").fill("night watch");
  await admin.page.getByRole("button", { name: "Make it" }).click();
  const secret = await admin.page.getByLabel("Secret").inputValue();
  await admin.page.getByRole("button", { name: "Done" }).click();
  await admin.page.getByText("night watch").first().waitFor();
  const tab = await openTab({ isKnown: false });
  const { page } = tab;
  await page.goto(`${here.url}/?token=rlt_of_yesterday`);
  await page.getByRole("alert").getByText("The token in that address is not valid").waitFor();
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
  expect(await cancel.getAttribute("title")).toContain("You are viewer; this takes operator.");
  expect(await page.getByRole("link", { name: "Admin" }).count()).toBe(0);
  await page.goto(`${here.url}/admin`);
  await page.getByText("This page is for admins").waitFor();
  await admin.page.reload();
  await admin.page.getByText("createKey").first().waitFor();
  await admin.picture("admin-light");
  expect(await accessibilityFaults(admin.page)).toEqual([]);
  await admin.page
    .getByRole("row", { name: /night watch/ })
    .getByRole("button", { name: "Revoke" })
    .click();
  await admin.page.getByText("revoked", { exact: true }).waitFor();
  await page.goto(`${here.url}/runs`);
  await page.getByLabel("API key or token").waitFor();
  await here.ledger.act(run.id, "CANCEL");
  expectNoFaults(admin);
});

test("[U-35] everything is reached without a mouse", async () => {
  mended.invoices = true;
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
  await page.getByRole("heading", { name: "The run" }).waitFor();
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

/** What can be used but is beyond the edge, unless it can be scrolled to. */
const BEYOND_THE_EDGE = `
  const scrolls = (one) => /auto|scroll/.test(getComputedStyle(one).overflowX) || (one.parentElement !== null && scrolls(one.parentElement));
  [...document.querySelectorAll("a, button, input, select, [role=tab], h1, h2")]
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !scrolls(one.parentElement))
    .map((one) => one.outerHTML.slice(0, 120))`;

/** Marks of the time axis whose words reach into the next one's. */
const TICKS_UPON_EACH_OTHER = `
  [...document.querySelectorAll(".tick")]
    .map((one) => one.getBoundingClientRect())
    .filter((one, index, all) => index > 0 && one.left < all[index - 1].right).length`;

test("[U-35] on a screen of 390 pixels nothing is cut off", async () => {
  const run = await here.ledger.start(nightly, { day: "2026-11-14" });
  const tab = await openTab({ viewport: { width: 390, height: 844 }, colorScheme: "dark" });
  const { page } = tab;
  for (const [name, path, sign] of [
    ["runs-narrow", "/runs", "[data-run]"],
    ["run-narrow", `/runs/${run.id}?step=release`, '[data-step="release"]'],
    ["graph-narrow", `/runs/${run.id}?view=graph`, ".react-flow__node"],
  ] as const) {
    await page.goto(`${here.url}${path}`);
    await page.locator(sign).first().waitFor();
    expect(await page.evaluate(BEYOND_THE_EDGE)).toEqual([]);
    expect(await page.evaluate(TICKS_UPON_EACH_OTHER)).toBe(0);
    await tab.picture(name);
    expect(await accessibilityFaults(page)).toEqual([]);
  }
  await here.ledger.act(run.id, "CANCEL");
  expectNoFaults(tab);
});

function behind(page: Page, runId: string) {
  return page.locator(`[data-run="${runId}"]`).getByText("catching up");
}

test("[U-35] what is empty, failed, behind or cut off says so, and goes on by itself", async () => {
  const run = await here.ledger.start(nightly, { day: "2026-11-14" });
  const own = await here.serve();
  const tab = await openTab({ colorScheme: "dark" });
  const { page } = tab;
  await page.goto(`${own.url}/runs?find=nothing-like-this&workflow=none`);
  await page.locator(".message").waitFor();
  await tab.picture("empty-dark");
  await page.goto(`${own.url}/no/such/page`);
  await page.getByText("There is nothing here").waitFor();
  await page.getByRole("link", { name: "See the runs" }).waitFor();
  await tab.picture("nothing-here-dark");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.goto(`${own.url}/runs/run_that_never_was`);
  await page.getByRole("alert").getByText("RUN_NOT_FOUND").waitFor();
  await page.getByRole("alert").getByRole("link", { name: "See the runs" }).waitFor();
  await tab.picture("error-dark");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.goto(`${own.url}/runs/${run.id}`);
  await page.locator('[data-step="release"] [data-status="WAITING"]').waitFor();
  await page.locator('[data-connection="connected"]').waitFor();
  await own.close();
  await page.locator('[data-connection="lost"]').waitFor();
  await tab.picture("disconnected-dark");
  expect(await accessibilityFaults(page)).toEqual([]);
  await run.signal("release", { by: "somebody else" });
  await run.result();
  const again = await here.serve(Number(new URL(own.url).port));
  await page.locator('.run-head [data-status="COMPLETED"]').waitFor();
  await here.projector.stop();
  await run.signal("release", { by: "too late" }).catch(() => {}); // refused, and on record
  await page.goto(`${again.url}/runs`);
  await behind(page, run.id).waitFor();
  const projector = here.ledger.projector();
  await behind(page, run.id).waitFor({ state: "detached" });
  await projector.stop();
  await page.close();
  await again.close();
});
