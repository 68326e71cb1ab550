/** A real browser, from npm: one per test file, gone with it. */
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import { chromium as playwright, type Browser } from "playwright-core";
import { afterAll } from "vitest";
import { inRepository, readJson } from "../../scripts/lib/repository.mjs";
import { capture } from "../../scripts/lib/spawn.mjs";
import { cached } from "../../scripts/lib/cache-folder.mjs";
import type { Requirement } from "./requirements.js";

export const requireBrowser: Requirement = () =>
  process.platform === "linux" && process.arch === "x64" ? null : "there is no such Chromium for this platform";

/** It runs as root where the tests do, and speaks to nobody but the page's own server. */
const ARGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** In one process with its pages a browser ends with the first of them; and it shall refuse what browsers refuse. */
const UNWANTED = new Set(["--single-process", "--disable-web-security", "--allow-running-insecure-content"]);

let browser: Promise<Browser> | null = null;

afterAll(async () => {
  const running = await browser?.catch(() => null);
  browser = null;
  await running?.close();
});

export function theBrowser(): Promise<Browser> {
  browser ??= start();
  return browser;
}

async function start(): Promise<Browser> {
  const { version } = readJson(inRepository("node_modules/@sparticuz/chromium/package.json")) as { version: string };
  const folder = await cached(`chromium-${version}`, unpack);
  const executablePath = join(folder, "chromium");
  const args = chromium.args.filter((arg) => !UNWANTED.has(arg));
  return playwright.launch({ executablePath, args: [...args, ...ARGS], headless: true });
}

const UNPACK = `import chromium from "@sparticuz/chromium"; await chromium.executablePath();`;

/** It unpacks itself into the temporary folder that it sees; two test files at once would disturb each other there. */
async function unpack(draft: string): Promise<void> {
  const args = ["--input-type=module", "-e", UNPACK];
  const { code, stderr } = await capture(process.execPath, args, { cwd: inRepository("."), env: { TMPDIR: draft } });
  if (code !== 0) throw new Error(`Chromium could not be unpacked: ${stderr}`);
}
