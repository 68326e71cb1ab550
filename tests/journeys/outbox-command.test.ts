// @module-tag B-03
/** `runledger outbox` on a store and on a server, and `runledger serve` that delivers to a webhook. */
import { RunledgerClient } from "@runledger/client";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshProject, startRunledger, type Where } from "@runledger/test-support/runledger-command";
import { until } from "@runledger/test-support/until";
import { expect, onTestFinished, test } from "vitest";
import { LineageReceiver } from "../outbox/lineage-receiver.js";
import { Receiver } from "../outbox/receiver.js";

const KEY = "whsec_c2VjcmV0LXNlY3JldA==";
const config = `export default { workflows: ["./workflows.js"], outbox: { allowAddresses: ["127.0.0.1"] } };`;
const workflows = `import { workflow } from "runledger";
export const greet = workflow("greet", { version: "1" }, (w) => w.waitForSignal("release"));`;

async function project(): Promise<{ readonly where: Where; readonly receiver: Receiver }> {
  const database = await freshDatabase();
  const receiver = await new Receiver(KEY).start();
  onTestFinished(async () => {
    await receiver.stop();
    await database.drop();
  });
  const cwd = freshProject({ "runledger.config.js": config, "workflows.js": workflows });
  const env = {
    RUNLEDGER_STORE: database.url,
    XDG_STATE_HOME: cwd,
    RUNLEDGER_SECRET_HOOK: KEY,
    RUNLEDGER_SECRET_LINEAGE_KEY: KEY,
  };
  return { where: { cwd, env }, receiver };
}

const parsed = (text: string): readonly unknown[] =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);

test("serve delivers to a webhook that commands create, test, pause, rewind and delete on a server", async () => {
  const { where, receiver } = await project();
  const server = startRunledger(where, "serve", "--port", "0", "--json");
  const { url, roles } = JSON.parse(await server.says(/^\{.*\}$/m)) as { url: string; roles: string[] };
  expect(roles).toContain("outbox");
  const outbox = (...args: readonly string[]) => runledger(where, "outbox", ...args, "--server", url);
  const put = await outbox("put", "hook", "--url", receiver.url, "--secret", "hook", "--workflow", "greet");
  expect(put).toMatchObject({ code: 0, stdout: expect.stringContaining("no backlog") as string });
  expect(await outbox("test", "hook")).toMatchObject({ code: 0 });
  expect(receiver.events.map(({ type }) => type)).toEqual(["dev.runledger.Test"]);

  const token = (await runledger(where, "keys", "token")).stdout.trim();
  const client = new RunledgerClient({ url, token });
  const { runId } = await client.startRun({ workflow: "greet" });
  await until(() => receiver.events.length === 2);
  expect(receiver.events[1]).toMatchObject({ type: "dev.runledger.RunQueued", partitionkey: runId });
  expect(receiver.unsigned).toBe(0);

  expect((await outbox("pause", "hook")).stdout).toContain("paused since");
  expect((await outbox("resume", "hook")).stdout).toContain("active");
  expect(await outbox("rewind", "hook", "--from", "beginning")).toMatchObject({ code: 0 });
  await until(() => receiver.events.length === 3);
  expect(parsed((await outbox("list", "--json")).stdout)).toMatchObject([{ subscriptionId: "hook", state: "active" }]);
  expect((await outbox("dead-letters")).stdout).toContain("No dead letters.");
  expect((await outbox("delete", "hook")).stdout).toContain("Deleted hook.");
  expect(await outbox("show", "hook")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("SUBSCRIPTION_NOT_FOUND") as string,
  });
});

test("commands manage subscriptions and dead letters of a store without a server", async () => {
  const { where, receiver } = await project();
  const outbox = (...args: readonly string[]) => runledger(where, "outbox", ...args);
  expect((await outbox("list")).stdout).toContain("No subscriptions.");
  const filter = ["--event-type", "RunQueued", "--label", "team=blue", "--from", "beginning", "--max-attempts", "1"];
  await outbox("put", "hook", "--url", receiver.url, "--secret", "hook", "--batch-size", "5", ...filter);
  expect(parsed((await outbox("show", "hook", "--json")).stdout)).toMatchObject([
    {
      bus: { type: "webhook", url: receiver.url, secrets: ["hook"], batchSize: 5 },
      filter: { eventTypes: ["RunQueued"], labels: { team: "blue" } },
      maxAttempts: 1,
      startsAt: null,
    },
  ]);
  receiver.answer = () => 422;
  expect(await outbox("test", "hook")).toMatchObject({ code: 1, stdout: expect.stringContaining("422") as string });
  const server = startRunledger(where, "serve", "--port", "0", "--roles", "outbox");
  await server.says(/Roles +outbox/);
  const started = await runledger(where, "run", "greet", "--label", "team=blue", "--json");
  const { runId } = parsed(started.stdout)[0] as { runId: string };
  await until(async () => (await outbox("dead-letters", "--json")).stdout.includes(runId));
  const shown = await outbox("dead-letters", "hook", runId);
  expect(shown.stdout).toContain(`Event 1 of run ${runId} was refused 1 time,`);
  expect(shown.stdout).toContain('"eventType": "RunQueued"');
  receiver.answer = () => 204;
  expect(await outbox("redrive", "hook", runId)).toMatchObject({ code: 0 });
  await until(() => receiver.events.length === 1);
  expect(await outbox("drop", "hook", runId)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("DEAD_LETTER_NOT_FOUND") as string,
  });
});

test("a command creates a subscription to lineage, and tests it", { tags: ["D-30"] }, async () => {
  const { where } = await project();
  const lineage = await new LineageReceiver().start();
  onTestFinished(() => lineage.stop());
  const outbox = (...args: readonly string[]) => runledger(where, "outbox", ...args);
  const bus = ["--openlineage", lineage.url, "--namespace", "prod", "--secret", "lineage-key"];
  const put = await outbox("put", "lineage", ...bus);
  expect(put.stdout).toContain(`openlineage ${lineage.url}`);
  expect(parsed((await outbox("show", "lineage", "--json")).stdout)).toMatchObject([
    { bus: { type: "openlineage", url: lineage.url, namespace: "prod", secret: "lineage-key" } },
  ]);
  expect(await outbox("test", "lineage")).toMatchObject({ code: 0 });
  expect(lineage.events).toMatchObject([{ eventType: "OTHER", job: { namespace: "prod", name: "runledger.test" } }]);
  expect(lineage.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  expect(await outbox("put", "both", ...bus, "--url", lineage.url)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Use one of them.") as string,
  });
});
