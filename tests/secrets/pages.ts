/** The pages of the console about a run, with everything that the browser receives for them. */
import type { Page } from "playwright-core";
import { testServer } from "@runledger/test-support/test-server";
import { openTab } from "../console/support/page.js";
import { logIn } from "../console/support/session.js";
import type { LeakyRun } from "./leaky-run.js";
import type { Places } from "./left-behind.js";

const STEPS = ["returns", "throws", "logs", "prints0", "echo0"];

export async function pagesOf({ ledger, runId }: LeakyRun): Promise<Places> {
  const projector = ledger.projector();
  const { server } = await testServer([], { ledger });
  await logIn(server.url);
  const { page } = await openTab();
  const received: Promise<string>[] = [];
  page.on("response", (response) => void received.push(response.text().catch(() => "")));
  await page.goto(`${server.url}/runs`);
  await page.getByText("leaks").first().waitFor();
  const list = await contentOf(page);
  await page.goto(`${server.url}/runs/${runId}`);
  await page.locator('.run-head [data-status="COMPLETED"]').waitFor();
  const shown = [await contentOf(page)];
  for (const step of STEPS) shown.push(await stepOf(page, step));
  await page.getByRole("tab", { name: /^Events/ }).click();
  await page.locator(".event-row").first().waitFor();
  shown.push(await contentOf(page));
  await projector.stop();
  return { "page of runs": list, "page of the run": shown.join("\n"), "answers to the page": await textOf(received) };
}

async function stepOf(page: Page, step: string): Promise<string> {
  await page.locator(`[data-step="${step}"]`).first().click();
  await page.getByRole("heading", { name: step, exact: true }).waitFor();
  const texts: string[] = [];
  for (const name of await page.locator(".inspector").getByRole("tab").allInnerTexts()) {
    await page.locator(".inspector").getByRole("tab", { name, exact: true }).click();
    texts.push(await contentOf(page));
  }
  return texts.join("\n");
}

async function contentOf(page: Page): Promise<string> {
  return `${await page.content()}\n${await page.locator("body").innerText()}`;
}

/** An answer that never ends, such as a stream of events, is left out. */
async function textOf(received: readonly Promise<string>[]): Promise<string> {
  const late = new Promise<string>((resolve) => setTimeout(resolve, 1000, ""));
  return (await Promise.all(received.map((each) => Promise.race([each, late])))).join("\n");
}
