// @module-tag D-04
/** Previews of artifacts: tables, images and Markdown. Everything else is offered as a download. */
import { workflow } from "runledger";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { PARQUET } from "./support/parquet-file.js";
import { accessibilityFaults, expectNoFaults, openTab } from "./support/page.js";
import { site } from "./support/site.js";

const ROWS = 20_000;
const CSV = `id,customer,city,total\n${Array.from({ length: ROWS }, (_, row) => `${row},"Customer, ${row}",Zürich,${row * 3}.50`).join("\n")}\n`;
const LINES = Array.from({ length: 40 }, (_, at) => JSON.stringify({ at, level: "info", tags: ["a", "b"] })).join("\n");
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="160" onload="window.parent.hacked = 1">
<script>window.parent.hacked = 1</script><image href="https://example.com/pixel.png" width="9" height="9"/>
<rect width="320" height="160" fill="#eef"/><circle cx="80" cy="80" r="60" fill="#2a5bd7"/></svg>`;
const MARKDOWN = `# Nightly report

Loaded **1,234** rows from [the shop](https://example.com/shop), see [the payload](javascript:window.hacked=1).

![pixel](https://example.com/pixel.png)
<img src="https://example.com/pixel.png" onerror="window.hacked = 1"><script>window.hacked = 1</script>

| table  | rows |
| ------ | ---- |
| orders | 900  |

- first
- second with \`code\`

\`\`\`sql
select count(*) from orders
\`\`\`
`;

const reports = workflow("reports", { version: "1" }, (w) =>
  w.step("publish", async ({ artifact }) => {
    await artifact.write("orders.csv", CSV);
    await artifact.write("events", LINES);
    await artifact.write("orders.parquet", PARQUET);
    await artifact.write("broken.parquet", "PAR1 and nothing else");
    await artifact.write("picture", dot());
    await artifact.write("chart", SVG);
    await artifact.write("poster", Buffer.concat([dot(), Buffer.alloc(5 * 1024 * 1024)]));
    await artifact.write("report.md", MARKDOWN);
    await artifact.write("page", "<!doctype html><script>window.hacked = 1</script>");
    await artifact.write("nothing", "");
  }),
);

const here = site([reports]);

/** A picture of one transparent dot. */
function dot(): Buffer {
  const base64 = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  return Buffer.from(base64, "base64");
}

async function openArtifacts(page: Page): Promise<void> {
  const run = await here.ledger.start(reports);
  await run.result();
  await page.goto(`${here.url}/runs/${run.id}?step=publish&tab=artifacts`);
  await page.getByRole("button", { name: "Preview orders.csv" }).waitFor();
}

/** Opens the preview of an artifact with the keyboard. */
async function preview(page: Page, kind: string) {
  await page.getByRole("button", { name: `Preview ${kind}` }).focus();
  await page.keyboard.press("Enter");
  return page.getByRole("dialog", { name: kind });
}

async function close(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

test("tables show their first rows, and only the start of a file is read", async () => {
  const tab = await openTab();
  const { page } = tab;
  await openArtifacts(page);
  let bytes = 0;
  page.on("response", (response) => {
    if (/\/api\/.*\/preview/.test(response.url())) bytes += Number(response.headers()["content-length"] ?? Infinity);
  });
  const csv = await preview(page, "orders.csv");
  await csv.getByText("First 100 rows, 4 columns").waitFor();
  expect(await csv.getByRole("columnheader").allTextContents()).toEqual(["id", "customer", "city", "total"]);
  expect(await csv.locator("tbody tr").nth(99).locator("td").allTextContents()).toEqual([
    "99",
    "Customer, 99",
    "Zürich",
    "297.50",
  ]);
  expect(CSV.length).toBeGreaterThan(2 * bytes);
  expect(bytes).toBe(256 * 1024);
  await tab.picture("preview-csv-light");
  expect(await accessibilityFaults(page)).toEqual([]);
  await close(page);
  expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Preview orders.csv");
  const lines = await preview(page, "events");
  await lines.getByText("40 rows, 3 columns").waitFor();
  expect(await lines.locator("tbody tr").first().locator("td").allTextContents()).toEqual(["0", "info", '["a","b"]']);
  await close(page);
  const parquet = await preview(page, "orders.parquet");
  await parquet.getByText("First 100 of 120 rows, 6 columns").waitFor();
  expect(await parquet.getByRole("columnheader").allTextContents()).toEqual([
    "id",
    "name",
    "paid",
    "price",
    "ordered_at",
    "tags",
  ]);
  expect(await parquet.locator("tbody tr").nth(7).locator("td").allTextContents()).toEqual([
    "7",
    "name 7",
    "false",
    "10.5",
    "2026-11-14T07:00:00.000Z",
    '["t7","x"]',
  ]);
  await tab.picture("preview-parquet-light");
  await close(page);
  const broken = await preview(page, "broken.parquet");
  await broken.getByText("This file cannot be previewed").waitFor();
  expectNoFaults(tab);
});

test("images and Markdown run nothing and load nothing from other hosts", async () => {
  const tab = await openTab({ colorScheme: "dark" });
  const { page } = tab;
  await openArtifacts(page);
  const report = await preview(page, "report.md");
  await report.getByRole("heading", { name: "Nightly report" }).waitFor();
  const links = report.locator(".markdown a");
  expect(await links.count()).toBe(1);
  expect(await page.evaluate("document.querySelector('.markdown a').outerHTML")).toContain(
    'href="https://example.com/shop" target="_blank" rel="noopener noreferrer nofollow"',
  );
  expect(await report.locator(".markdown :is(img, script)").count()).toBe(0);
  await report.getByText("<img src=").waitFor();
  await tab.picture("preview-markdown-dark");
  expect(await accessibilityFaults(page)).toEqual([]);
  await close(page);
  for (const kind of ["chart", "picture"]) {
    await (await preview(page, kind)).getByRole("img", { name: kind }).waitFor();
    await expect.poll(() => page.evaluate("document.querySelector('.preview-image').naturalWidth")).toBeGreaterThan(0);
    if (kind === "chart") await tab.picture("preview-svg-dark");
    await close(page);
  }
  const texts = {
    poster: "Too large for a preview",
    page: "No preview for this content",
    nothing: "This artifact is empty",
  };
  for (const [kind, text] of Object.entries(texts)) {
    const dialog = await preview(page, kind);
    await dialog.getByText(text).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByText("Download", { exact: true }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(new RegExp(`^publish-${kind}-art_`));
    await close(page);
  }
  expect(await page.evaluate("window.hacked")).toBeUndefined();
  expectNoFaults(tab);
});

test("a preview fits a phone, and recovers from a lost server", async () => {
  const tab = await openTab({ viewport: { width: 390, height: 844 } });
  const { page } = tab;
  await openArtifacts(page);
  await page.route("**/preview?**", (route) => route.abort());
  const csv = await preview(page, "orders.csv");
  await csv.getByText("Cannot reach the server").waitFor();
  await page.unroute("**/preview?**");
  await csv.getByRole("button", { name: "Retry" }).click();
  await csv.getByText("First 100 rows").waitFor();
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  const box = (await csv.boundingBox())!;
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.x + box.width).toBeLessThanOrEqual(390);
  await tab.picture("preview-390-light");
});
