/** The browser that all test files of a run share. Every test opens its own context. */
import { chromium, type Browser } from "playwright-core";
import type { Requirement } from "./requirements.js";
import { serviceAddress } from "./service-address.js";

export const requireBrowser: Requirement = () =>
  process.platform === "linux" && process.arch === "x64" ? null : "there is no such Chromium for this platform";

let browser: Promise<Browser> | null = null;

/** Connects the first time. The connection ends with the process of the test file. */
export function theBrowser(): Promise<Browser> {
  browser ??= serviceAddress("browser").then((url) => chromium.connect(url));
  return browser;
}
