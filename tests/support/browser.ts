/** A real browser, from npm: one per test file, gone with it. */
import chromium from "@sparticuz/chromium";
import { chromium as playwright, type Browser } from "playwright-core";
import { afterAll } from "vitest";

/** It runs as root where the tests do, and speaks to nobody but the page's own server. */
const ARGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

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
  const executablePath = await chromium.executablePath();
  return playwright.launch({ executablePath, args: [...chromium.args, ...ARGS], headless: true });
}
