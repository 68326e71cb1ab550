// @module-tag B-33
/** Payloads that a reader may not see, and payloads that were erased. */
import { expect, test } from "vitest";
import { expectNoFaults, openTab } from "./support/page.js";
import { site } from "./support/site.js";
import { heartbeat } from "./support/workflows.js";

const here = site([heartbeat], { keys: `k1:${Buffer.alloc(32, 3).toString("base64")}` });

test(
  "an admin sees an encrypted output, a viewer sees that it is encrypted, and both see that it was erased",
  { tags: ["B-32"] },
  async () => {
    const run = await here.ledger.start(heartbeat, {});
    await run.result();
    const admin = await openTab();
    await admin.page.goto(`${here.url}/runs/${run.id}?step=ping`);
    await admin.page.getByRole("tab", { name: "Output" }).click();
    await admin.page.locator(".inspector-panel").getByText("pong").waitFor();

    const { secret } = await here.client.createKey({ name: "night watch", role: "viewer" });
    const viewer = await openTab({ isKnown: false });
    await viewer.page.goto(`${here.url}/runs/${run.id}?step=ping`);
    await viewer.page.getByLabel("API key or token").fill(secret);
    await viewer.page.getByRole("button", { name: "Log in" }).click();
    await viewer.page.getByRole("tab", { name: "Output" }).click();
    await viewer.page.getByText("Encrypted. Your role does not show it").waitFor();
    expect(await viewer.page.getByText("pong").count()).toBe(0);

    await here.client.eraseRun(run.id, { reason: "request 4711" });
    for (const { page } of [admin, viewer]) {
      await page.reload();
      await page.locator(".run-head").getByText("by local").waitFor();
      await page.getByRole("tab", { name: "Output" }).click();
      await page.getByText("request 4711").first().waitFor();
    }
    expectNoFaults(admin);
  },
);
