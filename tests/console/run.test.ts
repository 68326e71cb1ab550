// @module-tag U-31
/** The page of a run: live updates, actions and rewinding. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { accessibilityFaults, expectNoFaults, openTab } from "./support/page.js";
import { site } from "./support/site.js";
import { bulky, chatty, invoices, repaired, nightly, silence } from "./support/workflows.js";

const here = site([nightly, invoices, chatty, bulky]);

test("a run updates live, receives a signal and completes on the page", { tags: ["U-35"] }, async () => {
  const tab = await openTab();
  const { page } = tab;
  const run = await here.ledger.start(nightly, { input: { day: "2026-11-14" } });
  await page.goto(`${here.url}/runs/${run.id}`);
  await page.locator(".fact", { hasText: "waiting in" }).getByRole("link", { name: "release" }).click();
  await page.getByRole("button", { name: "Send “release”" }).waitFor();
  await page.getByRole("button", { name: "Skip" }).click();
  await page.getByText("run without its output").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await page.locator('[data-step="load"] .bar[data-attempt="1"].failed').waitFor();
  await page.locator('[data-step="load"] .bar[data-attempt="2"].done').waitFor();
  await page.getByRole("button", { name: "Signal" }).click();
  expect(await page.getByLabel("Name").inputValue()).toBe("release");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("This field is required.").waitFor();
  await page.getByLabel("by", { exact: true }).fill("night shift");
  await tab.picture("signal-light");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.locator('.run-head [data-status="COMPLETED"]').waitFor();
  await page.locator('[data-step="publish"]').click();
  await page.getByRole("tab", { name: "Output" }).click();
  await page.getByText("night shift").waitFor();
  await page.waitForURL(/step=publish/);
  await page.locator('[data-step="release"]').click(); // its output is the payload of the signal
  await page.locator(".inspector-panel").getByText("night shift").waitFor();
  await page.getByRole("button", { name: "Back to run" }).click();
  await page.getByRole("heading", { name: "Run", exact: true }).waitFor();
  await page.locator(".inspector-panel").getByText("night shift").waitFor(); // the output of the run
  await tab.picture("run-output-light");
  await page.getByRole("tab", { name: "Artifacts" }).click();
  await page.locator(".inspector-panel").getByText("Download").first().waitFor();
  expectNoFaults(tab);
});

test("timeline, graph, events and inspector share one selection, and a link restores it", async () => {
  const tab = await openTab();
  const { page } = tab;
  const run = await here.ledger.start(nightly, { input: { day: "2026-11-14" } });
  await page.goto(`${here.url}/runs/${run.id}`);
  await page.locator('[data-step="release"] [data-status="WAITING"]').waitFor();
  await page.locator('[data-step="load"]').click();
  await page.locator('[data-step="load"] .bar.earlier').waitFor();
  expect(await page.locator('[data-step="load"] .bar.pause').count()).toBeGreaterThan(0);
  await page.getByText("warehouse did not answer").first().waitFor();
  await tab.pictureForReaders("run");
  await page.getByRole("tab", { name: "Input" }).click();
  await page.locator(".json").getByText("1234").waitFor();
  await page.getByRole("button", { name: "extract", exact: true }).click();
  await page.getByRole("tab", { name: "Logs" }).click();
  await page.getByText("pulled").waitFor();
  await page.locator('[data-step="tables"]').focus();
  await page.keyboard.press("ArrowRight");
  await page.locator('[data-step="tables/5/analyze"]').click();
  await tab.picture("run-light");
  await page.getByRole("tab", { name: "Graph" }).click();
  await page.getByRole("button", { name: "Open tables" }).click();
  await page.locator('.react-flow__node[data-id="tables/analyze"].selected').waitFor();
  await tab.picture("graph-light");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.locator('.react-flow__node[data-id="load"]').click();
  await page.getByRole("heading", { name: "load" }).waitFor();
  await page.getByRole("tab", { name: /^Events/ }).click();
  await page.locator(".event-row", { hasText: "StepFailed" }).click();
  await page.locator(".inspector").getByText("did not answer").waitFor();
  await tab.picture("events-light");
  expect(await accessibilityFaults(page)).toEqual([]);
  const other = await openTab({ colorScheme: "dark" });
  await other.page.goto(page.url());
  await other.page.locator('.event-row[aria-selected="true"]', { hasText: "StepFailed" }).waitFor();
  await other.page.getByRole("tab", { name: "Timeline" }).click();
  const axis = (await other.page.locator(".axis-track").boundingBox())!;
  await other.page.mouse.move(axis.x + 2, axis.y + 10);
  await other.page.mouse.down();
  await other.page.mouse.move(axis.x + axis.width / 4, axis.y + 10, { steps: 4 });
  await other.page.mouse.up();
  await other.page.waitForURL(/zoom=\d+-\d+/);
  await other.page.getByRole("button", { name: "Whole run" }).waitFor();
  await other.picture("zoom-dark");
  await here.ledger.act(run.id, "CANCEL");
  expectNoFaults(tab);
  expectNoFaults(other);
});

test("the log output of a step appears while it runs", async () => {
  const tab = await openTab();
  const run = await here.ledger.start(chatty);
  await tab.page.goto(`${here.url}/runs/${run.id}?step=talk&tab=logs`);
  await tab.page.getByRole("log").getByText("the first half").waitFor();
  expect(await tab.page.getByText("the second half").count()).toBe(0);
  silence.end();
  await tab.page.getByRole("log").getByText("the second half").waitFor();
  await run.result();
  expectNoFaults(tab);
});

test("a step with large output, log and error stays readable", async () => {
  const tab = await openTab();
  const { page } = tab;
  const run = await here.ledger.start(bulky);
  await run.result().catch(() => {});
  await page.goto(`${here.url}/runs/${run.id}?step=collect&tab=output`);
  await page.getByRole("button", { name: /^rows:?\s*900 fields/ }).click();
  await page.getByRole("button", { name: /row_0/ }).waitFor();
  expect(await page.locator("*").count()).toBeLessThan(3000);
  await page.getByRole("button", { name: "98,000 more characters" }).click();
  await page.locator('[data-step="explain"]').click();
  await page.getByRole("tab", { name: "Logs" }).click();
  await expect.poll(() => inSight(page, "line 299")).toBe(true); // the last line
  await page.getByRole("tab", { name: "Artifacts" }).click();
  const download = (await page.getByRole("link", { name: "Download" }).first().boundingBox())!;
  expect(download.x + download.width).toBeLessThan(1440);
  await page.getByRole("tab", { name: "Attempts" }).click();
  await page.getByRole("button", { name: "Copy error" }).waitFor();
  await page.getByText("Stack trace").click();
  expect(await page.getByLabel("Stack trace").innerText()).toMatch(/^at .*workflows\.ts:\d+/);
  await tab.picture("bulky-light");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole("link", { name: "bulky" }).click();
  await page.waitForURL(/workflows.bulky/);
  expectNoFaults(tab);
});

/** Returns whether a line of the log is visible. */
async function inSight(page: Page, text: string): Promise<boolean> {
  const [log, line] = [page.getByRole("log"), page.getByText(text)];
  await line.waitFor();
  const [around, own] = [(await log.boundingBox())!, (await line.boundingBox())!];
  return own.y >= around.y && own.y < around.y + around.height;
}

test("a retry previews which steps run again and which are kept", { tags: ["U-35"] }, async () => {
  const tab = await openTab();
  const { page } = tab;
  repaired.invoices = false;
  const run = await here.ledger.start(invoices);
  await run.result().catch(() => {});
  await page.goto(`${here.url}/runs/${run.id}?step=check`);
  await page.getByRole("button", { name: "Retry from here" }).click();
  await page.locator('[data-preview="again"]').getByText("check").waitFor();
  expect(await page.locator('[data-preview="again"] li').allTextContents()).toEqual(["check", "post", "notify"]);
  expect(await page.locator('[data-preview="kept"]').textContent()).toContain("1 completed step");
  await tab.picture("retry-preview-light");
  expect((await here.client.getRun(run.id)).status).toBe("FAILED");
  repaired.invoices = true;
  await page.getByRole("button", { name: "Retry 3 steps" }).click();
  await page.locator('.run-head [data-status="COMPLETED"]').waitFor();
  await page.locator('[data-step="check"] .bar[data-attempt="2"].done').waitFor();
  expect((await here.client.getStep(run.id, "fetch")).step.logicalAttemptId).toBe("1");
  const fork = await here.ledger.fork(run.id, { from: "check" });
  await page.goto(`${here.url}/runs/${fork.id}`);
  await page.locator(".fact", { hasText: "fork of" }).getByRole("link").waitFor();
  await tab.picture("fork-light");
  await page.locator(".fact", { hasText: "fork of" }).getByRole("link").click();
  await page.locator(".run-id", { hasText: run.id }).waitFor();
  expectNoFaults(tab);
});

test("a finished run shows the signals that no step has taken", { tags: ["R-02"] }, async () => {
  const tab = await openTab();
  const run = await here.ledger.start(nightly, { input: { day: "2026-11-14" } });
  for (const by of ["you", "me", "them"]) await run.signal("release", { by });
  await run.result();
  await tab.page.goto(`${here.url}/runs/${run.id}`);
  await tab.page.locator(".fact", { hasText: "untaken signals" }).getByText("2 (release)").waitFor();
  expect(await here.client.getRun(run.id)).toMatchObject({ signals: [{ name: "release" }, { name: "release" }] });
  expectNoFaults(tab);
});

test("rewinding shows a past state, and the URL keeps its position", { tags: ["U-32", "U-35"] }, async () => {
  const tab = await openTab();
  const { page } = tab;
  const run = await here.ledger.start(nightly, { input: { day: "2026-11-14" } });
  await run.signal("release", { by: "you" });
  await run.result();
  const events = (await here.client.listEvents(run.id)).items;
  const failedAt = events.find(({ eventType }) => eventType === "StepFailed")!.runSeq;
  await page.goto(`${here.url}/runs/${run.id}`);
  await page.locator('.run-head [data-status="COMPLETED"]').waitFor();
  await page.getByRole("slider", { name: "Sequence" }).fill(String(failedAt));
  await page.locator('.run-head [data-status="RUNNING"]').waitFor();
  await page.locator('[data-step="load"] [data-status="RETRYING"]').waitFor();
  expect(await page.locator('[data-step="publish"] .bar').count()).toBe(0);
  expect(await page.getByRole("button", { name: "Cancel" }).count()).toBe(0);
  await page.waitForURL(new RegExp(`seq=${failedAt}`));
  await page.getByRole("tab", { name: "State" }).click();
  await page.locator(".json").getByText("loaded").waitFor();
  await tab.picture("rewind-light");
  await tab.pictureForReaders("rewind");
  expect(await accessibilityFaults(page)).toEqual([]);
  const link = page.url();
  const other = await openTab({ colorScheme: "dark" });
  await other.page.goto(link);
  await other.page.locator('[data-step="load"] [data-status="RETRYING"]').waitFor();
  await other.picture("rewind-dark");
  expect(await other.page.locator(".json").textContent()).toContain("loaded0");
  await other.page.getByRole("button", { name: "Go to latest event" }).click();
  await other.page.locator('.run-head [data-status="COMPLETED"]').waitFor();
  await other.page.locator(".json").getByText("1234").waitFor();
  expectNoFaults(tab);
});
