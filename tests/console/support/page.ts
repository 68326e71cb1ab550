/** A tab that notices what a reader would not forgive: errors, refused resources, anything from another host. */
import { mkdirSync, writeFileSync } from "node:fs";
import axe from "axe-core";
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { inRepository } from "../../../scripts/lib/repository.mjs";
import { theBrowser } from "../../support/browser.js";
import { sessionCookies } from "./session.js";
import { smallPng } from "./small-png.js";

const PICTURES = inRepository("reports/console");

export interface Tab {
  readonly page: Page;
  /** Keeps what is seen, to be looked at. */
  picture(name: string): Promise<void>;
  /** The same in both themes and in the size of the README; `npm run pictures` takes these into docs/images. */
  pictureForReaders(name: string): Promise<void>;
  /** What went wrong so far. */
  readonly faults: readonly string[];
}

interface TabOptions extends BrowserContextOptions {
  /** False = the server does not know who looks. */
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
  page.setDefaultTimeout(60_000);
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
    picture: async (name) => void (await page.screenshot({ path: `${PICTURES}/${name}.png` })),
    pictureForReaders: async (name) => {
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

/** What axe finds serious or critical. */
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
