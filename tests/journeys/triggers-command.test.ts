// @module-tag B-06
/** `runledger triggers` on a store. */
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshProject, writeFiles } from "@runledger/test-support/runledger-command";
import { expect, onTestFinished, test } from "vitest";

const KEY = "whsec_c2VjcmV0LXNlY3JldA==";
const config = `export default { workflows: ["./workflows.js"] };`;
const workflows = `import { workflow } from "runledger";
import { z } from "zod";
const input = z.object({ order: z.number() });
export const greet = workflow("greet", { version: "1", input }, (w) => w.waitForSignal("release"));`;

async function project() {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const cwd = freshProject({ "runledger.config.js": config, "workflows.js": workflows });
  const env = { RUNLEDGER_STORE: database.url, XDG_STATE_HOME: cwd, RUNLEDGER_SECRET_SHOP: KEY };
  return { cwd, env };
}

test("commands manage triggers of a store without a server", async () => {
  const where = await project();
  const triggers = (...args: readonly string[]) => runledger(where, "triggers", ...args);
  expect((await triggers("list")).stdout).toContain("No triggers.");
  const mapping = [
    "--filter",
    "event.data.id > 0",
    "--input",
    '{"order": event.data.id}',
    "--label",
    "shop=event.data.shop",
  ];
  const limits = ["--start-key", "event.data.id", "--max-attempts", "3", "--from", "beginning"];
  await triggers("put", "shop", "--workflow", "greet@1", "--secret", "shop", ...mapping, ...limits);
  const listed = JSON.parse((await triggers("list", "--json")).stdout) as object;
  expect(listed).toMatchObject({
    triggerId: "shop",
    source: { type: "webhook", secrets: ["shop"] },
    version: "1",
    key: "event.data.id",
    labels: { shop: "event.data.shop" },
    maxAttempts: 3,
    startsAt: null,
  });
  writeFiles(where.cwd, { "event.json": '{"id":7,"shop":"x"}' });
  await runledger(where, "run", "greet", "--input", '{"order":1}'); // publishes the workflow
  const tested = await triggers("test", "shop", "--event", "@event.json");
  expect(tested.stdout).toContain("starts a run with the key 7");
  expect((await triggers("test", "shop", "--event", '{"id":0}')).stdout).toContain("excludes the event");
  expect(await triggers("test", "shop", "--event", '{"id":1}')).toMatchObject({ code: 1 });
  expect((await triggers("pause", "shop")).stdout).toContain("paused since");
  expect((await triggers("resume", "shop")).stdout).toContain("active");
  expect((await triggers("delete", "shop")).stdout).toContain("Deleted shop.");
  expect(await triggers("show", "shop")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("TRIGGER_NOT_FOUND") as string,
  });
  expect(await triggers("put", "x", "--workflow", "greet")).toMatchObject({ code: 2 });
});
