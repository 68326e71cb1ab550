// @module-tag B-06
/** Events that arrive in parallel at two server processes. */
import { RunledgerClient } from "@runledger/client";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshProject, startRunledger } from "@runledger/test-support/runledger-command";
import { until } from "@runledger/test-support/until";
import { expect, onTestFinished, test } from "vitest";
import { signedHeaders } from "./signed-headers.js";

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

async function serve(where: Awaited<ReturnType<typeof project>>): Promise<string> {
  const server = startRunledger(where, "serve", "--port", "0", "--json");
  return (JSON.parse(await server.says(/^\{.*\}$/m)) as { url: string }).url;
}

async function send(url: string, id: string, body: string): Promise<{ status: number; runId?: string }> {
  const headers = { "content-type": "application/json", ...signedHeaders(KEY, id, body) };
  const response = await fetch(`${url}/api/v1/triggers/shop/events`, { method: "POST", headers, body });
  return { status: response.status, ...((await response.json()) as { runId?: string }) };
}

test("deliveries of an event in parallel to two server processes start one run", async () => {
  const where = await project();
  const triggers = (...args: readonly string[]) => runledger(where, "triggers", ...args);
  const put = ["put", "shop", "--workflow", "greet", "--secret", "shop", "--input", '{"order": event.data.id}'];
  expect(await triggers(...put)).toMatchObject({ code: 0, stdout: expect.stringContaining("active") as string });
  const urls = await Promise.all([serve(where), serve(where)]);
  const events = ["a", "b", "c"];
  const deliveries = events.flatMap((id) => Array.from({ length: 16 }, (_, n) => ({ id, url: urls[n % 2]! })));
  const answers = await Promise.all(deliveries.map(({ id, url }) => send(url, id, '{"id":7}')));
  expect(answers.filter(({ status }) => status === 202).length).toBe(events.length);
  expect(answers.filter(({ status }) => status === 200).length).toBe(deliveries.length - events.length);
  const token = (await runledger(where, "keys", "token")).stdout.trim();
  const client = new RunledgerClient({ url: urls[0], token });
  await until(async () => (await client.listRuns()).items.length >= events.length);
  const { items } = await client.listRuns();
  expect(new Set(items.map(({ runId }) => runId))).toEqual(new Set(answers.map(({ runId }) => runId)));
  expect(await send(urls[0], "d", '{"id":"x"}')).toMatchObject({ status: 400 });
  const shown = await triggers("show", "shop", "--server", urls[1]);
  expect(shown.stdout).toContain("1 rejected");
  expect(shown.stdout).toContain("webhook d");
});
