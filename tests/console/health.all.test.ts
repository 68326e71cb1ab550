// @module-tag U-33
import { newEvent } from "@runledger/contracts";
import { query } from "@runledger/test-support/databases";
import { expect, test } from "vitest";
import { accessibilityFaults, expectNoFaults, openTab } from "./support/page.js";
import { site } from "./support/site.js";
import { heartbeat } from "./support/workflows.js";

const here = site([heartbeat]);

/** Records a run whose second event is missing. */
async function loseEvent(runId: string): Promise<void> {
  await here.ledger.store.appendEvent(newEvent({ runId, eventType: "RunStarted", planVersion: "1" }));
  await query(here.databaseUrl, `UPDATE runledger.run_heads SET head_seq = 2 WHERE run_id = '${runId}'`);
  await here.ledger.store.appendEvent(newEvent({ runId, eventType: "RunCompleted", planVersion: "1" }));
}

test(
  "the health page shows whether the system is healthy and how to fix problems",
  { tags: ["U-10", "R-11"] },
  async () => {
    const tab = await openTab();
    const { page } = tab;
    await page.goto(`${here.url}/health`);
    await page.getByRole("heading", { name: "Healthy" }).waitFor();
    await page.getByRole("region", { name: "Projector" }).getByText("behind the log").waitFor();
    await page.getByRole("region", { name: "Workers" }).getByText("alive").waitFor();
    await page.getByText("No alerts in the last 24 hours.").waitFor();
    for (let second = 0; second < 2; second++) await (await here.ledger.start(heartbeat)).result();
    await page.locator('[aria-label="Appends over time"]').waitFor();
    await tab.picture("health-light");
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    await tab.picture("health-390-dark");
    expectNoFaults(tab);
    await page.route("**/api/v1/health", async (route) => {
      const health = (await (await route.fetch()).json()) as object;
      await route.fulfill({ json: { ...health, workers: { alive: 0, lost: 2 } } });
    });
    await page.getByRole("heading", { name: "1 problem" }).waitFor();
    await page.getByText("No worker is alive.").waitFor();
    await loseEvent("torn");
    const alert = page.locator('[data-alert="PROJECTOR_GAP_DETECTED"]');
    await alert.getByText("Event 2 is missing from the log of run torn").waitFor();
    await alert.getByText("What to do:").waitFor();
    await tab.picture("health-faults-390-dark");
  },
);
