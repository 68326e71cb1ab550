/** A tab that records faults: errors, failed requests and requests to other hosts. */
import { mkdirSync, writeFileSync } from "node:fs";
import axe from "axe-core";
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { inRepository } from "../../../scripts/lib/repository.mjs";
import { theBrowser } from "@runledger/test-support/browser";
import { sessionCookies } from "./session.js";
import { smallPng } from "./small-png.js";

const PICTURES = inRepository("reports/console");
/** Screenshots take a fifth of the time of these tests. `npm run pictures` takes them. */
const TAKES_PICTURES = process.env["RUNLEDGER_PICTURES"] === "1";

export interface Tab {
  readonly page: Page;
  /** Saves a screenshot for review. Does nothing unless `RUNLEDGER_PICTURES` is 1. */
  picture(name: string): Promise<void>;
  /** Saves screenshots in both themes and in the size of the README. `npm run pictures` copies them to docs/images. */
  pictureForReaders(name: string): Promise<void>;
  /** The faults so far. */
  readonly faults: readonly string[];
}

interface TabOptions extends BrowserContextOptions {
  /** `false` opens the tab without a session. */
  readonly isKnown?: boolean;
}

export async function openTab({ isKnown = true, ...options }: TabOptions = {}): Promise<Tab> {
  const browser = await theBrowser();
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: "reduce",
    ...options,
  });
  onTestFinished(() => context.close());
  if (isKnown) await context.addCookies(sessionCookies());
  const page = await context.newPage();
  page.setDefaultTimeout(240_000);
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(`${error.message}\n${error.stack ?? ""}`));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  page.on("request", (request) => {
    if (!/^(http:\/\/127\.0\.0\.1:|blob:|data:)/.test(request.url())) faults.push(`asked for ${request.url()}`);
  });
  mkdirSync(`${PICTURES}/for-readers`, { recursive: true });
  return {
    page,
    faults,
    picture: async (name) => {
      if (TAKES_PICTURES) await page.screenshot({ path: `${PICTURES}/${name}.png` });
    },
    pictureForReaders: async (name) => {
      if (!TAKES_PICTURES) return;
      const before = page.viewportSize()!;
      await page.setViewportSize({ width: 1200, height: 600 });
      for (const colorScheme of ["dark", "light"] as const) {
        await page.emulateMedia({ colorScheme });
        const png = await page.screenshot({ animations: "disabled" });
        writeFileSync(`${PICTURES}/for-readers/${name}-${colorScheme}.png`, smallPng(png));
      }
      await page.setViewportSize(before);
    },
  };
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Returns the serious and critical findings of axe. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate("axe.run()")) as { violations: readonly Violation[] };
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`);
}

export function expectNoFaults({ faults }: Tab): void {
  expect(faults).toEqual([]);
}
