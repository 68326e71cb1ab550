// @module-tag T-01
/** The page of a run that a Temporal server executed, in a real browser and with the UI of that server. */
import { requireBrowser } from "@runledger/test-support/browser";
import { describeWith } from "@runledger/test-support/requirements";
import { runledger, startRunledger } from "@runledger/test-support/runledger-command";
import { requireTemporal, TemporalServer } from "@runledger/test-support/temporal-server";
import { expect, onTestFinished, test } from "vitest";
import { temporalProject } from "../temporal/temporal-project.js";
import { greet } from "../temporal/workflows.mjs";
import { openTab } from "./support/page.js";

describeWith("the page of a run on a Temporal server", [requireBrowser, requireTemporal], () => {
  test("links to the execution in the Temporal UI, if the server knows its address", async () => {
    const server = await TemporalServer.start({ withUi: true });
    onTestFinished(() => server.stop());
    const { address, uiUrl } = server;
    const project = await temporalProject("link", { address });
    await project.worker();
    const run = await project.ledger.start(greet);
    await run.result();
    const { page } = await openTab({ isKnown: false });

    /** Opens the page of the run on a server with this engine. */
    const open = async (RUNLEDGER_ENGINE: string) => {
      const env = { ...project.env, RUNLEDGER_ENGINE };
      const serving = startRunledger({ ...project, env }, "serve", "--port", "0", "--json");
      const { url } = JSON.parse(await serving.says(/^\{"url".*\}$/m)) as { url: string };
      const token = (await runledger(project, "keys", "token")).stdout.trim();
      await page.goto(`${url}/?token=${token}`);
      await page.goto(`${url}/runs/${run.id}`);
      await page.getByText("engine run").waitFor();
    };
    await open(`temporal://${address}/default`);
    expect(await page.getByRole("link", { name: "Open in Temporal" }).count()).toBe(0);

    await open(`temporal://${address}/default?ui=${encodeURIComponent(uiUrl)}`);
    const [execution] = await server.executions(`WorkflowId = "${run.id}"`);
    const link = page.getByRole("link", { name: "Open in Temporal" });
    await link.waitFor();
    const place = `${uiUrl}/namespaces/default/workflows/${run.id}/${execution!.runId}/history`;
    expect(await link.getAttribute("href")).toBe(place);
    const [opened] = await Promise.all([page.waitForEvent("popup"), link.click()]);
    await opened.getByText("runledgerRun").first().waitFor();
  });
});
