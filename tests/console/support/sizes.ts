/** The screens on which the console must work. At a zoom of 200 % a screen of 1440 by 900 has half as many CSS pixels. */
import type { Page } from "playwright-core";

const SIZES = {
  "390": { width: 390, height: 844 },
  "768": { width: 768, height: 1024 },
  "1024": { width: 1024, height: 768 },
  "1440": { width: 1440, height: 900 },
  "zoom-200": { width: 720, height: 450 },
} as const;

/** Resizes an open page to each screen in turn. A page that is loaded once is cheaper than a tab per screen. */
export async function atEachSize(page: Page, check: (size: string) => Promise<void>): Promise<void> {
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    await check(size);
  }
  await page.setViewportSize(SIZES["1440"]);
}

/** A script for the page. Returns controls that are outside of the screen and cannot be scrolled into view. */
export const CONTROLS_OFF_SCREEN = `
  const scrolls = (one) => /auto|scroll/.test(getComputedStyle(one).overflowX) || (one.parentElement !== null && scrolls(one.parentElement));
  [...document.querySelectorAll("a, button, input, select, [role=tab], h1, h2")]
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !scrolls(one.parentElement))
    .map((one) => one.outerHTML.slice(0, 120))`;
