// @module-tag D-02
/** The API, commands and console on outputs that no event can hold. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshFolder } from "@runledger/test-support/runledger-command";
import { TOKEN } from "@runledger/test-support/test-server";
import { workflow } from "runledger";
import { expect, test } from "vitest";
import { accessibilityFaults, expectNoFaults, openTab } from "../console/support/page.js";
import { site } from "../console/support/site.js";

const customers = (count: number) => Array.from({ length: count }, (_, id) => ({ id, name: `customer ${id}` }));
const SOME = customers(10_000);
const MANY = customers(150_000);

const read = workflow("read", { version: "1" }, (w) => {
  const some = w.step("some", () => SOME);
  return w.step("copy", { needs: { some } }, ({ needs }) => needs.some);
});
const readMany = workflow("read-many", { version: "1" }, (w) => {
  const many = w.step("many", () => MANY);
  return w.step("copy", { needs: { many } }, ({ needs }) => needs.many);
});
const here = site([read, readMany]);

test("the API returns an output of 400 KB with the run and the step, and only the reference of one of 6 MB", async () => {
  const run = await here.ledger.start(read);
  await run.result();
  const { output, outputArtifact } = await here.client.getRun(run.id);
  expect(output).toEqual(SOME);
  expect(outputArtifact).toMatchObject({ kind: "output", sizeBytes: JSON.stringify(SOME).length });
  expect((await here.client.getStep(run.id, "some")).output).toEqual(SOME);
  const large = await here.ledger.start(readMany);
  expect(await large.result()).toEqual(MANY);
  const shown = await here.client.getRun(large.id);
  expect(shown).not.toHaveProperty("output");
  expect(shown.outputArtifact!.sizeBytes).toBeGreaterThan(4 * 1024 * 1024);
  const id = shown.outputArtifact!.uri.slice("store://".length);
  expect(await (await here.client.getArtifact(large.id, id)).json()).toEqual(MANY);
});

test("runledger result prints outputs of every size, also of a fork, from the store and from the server", async () => {
  const run = await here.ledger.start(readMany);
  await run.result();
  const fork = await here.ledger.fork(run, { from: "copy" });
  await fork.result();
  const kept = await here.client.getStep(fork.id, "many");
  const id = kept.outputArtifact!.uri.slice("store://".length);
  expect(await (await here.client.getArtifact(fork.id, id)).json()).toEqual(MANY);
  for (const where of [
    ["--store", here.databaseUrl],
    ["--server", here.url, "--key", TOKEN],
  ]) {
    const { code, stdout, stderr } = await runledger({ cwd: freshFolder() }, "result", run.id, ...where);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toEqual(MANY);
    const shown = await runledger({ cwd: freshFolder() }, "show", run.id, ...where);
    expect(shown.stdout).toContain(`print it with runledger result ${run.id}`);
  }
});

test("the console offers a preview and a download of a large output, and only a download of a larger one", async () => {
  const run = await here.ledger.start(read);
  await run.result();
  const tab = await openTab();
  const { page } = tab;
  await page.goto(`${here.url}/runs/${run.id}?step=some&tab=output`);
  const panel = page.locator(".inspector-panel");
  await panel.getByText("Large output, ").waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    panel.getByRole("link", { name: "Download" }).click(),
  ]);
  const file = join(freshFolder(), "output.json");
  await download.saveAs(file);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(SOME);
  await panel.getByRole("button", { name: "Preview" }).click();
  await panel.getByText("9,800 more").waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.goto(`${here.url}/runs/${run.id}?step=copy&tab=input`);
  await panel.getByText("Large output, ").waitFor();
  await page.goto(`${here.url}/runs/${run.id}?tab=output`);
  await panel.getByText("Large output, ").waitFor();

  const large = await here.ledger.start(readMany);
  await large.result();
  await page.goto(`${here.url}/runs/${large.id}?tab=output`);
  await panel.getByText("Large output, ").waitFor();
  expect(await panel.getByRole("button", { name: "Preview" }).count()).toBe(0);
  await tab.picture("large-output");
  expectNoFaults(tab);
});
