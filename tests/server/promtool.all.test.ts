// @module-tag U-16
/** Checks the metrics of servers and workers with Prometheus' own tool. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { workflow } from "runledger";
import { expect, onTestFinished, test } from "vitest";
import { requireDebian, unpackDebian, type DebianProgram } from "@runledger/test-support/debian-packages";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { describeWith } from "@runledger/test-support/requirements";
import { freshProject, startRunledger } from "@runledger/test-support/runledger-command";
import { testServer, TOKEN } from "@runledger/test-support/test-server";

const prometheus: DebianProgram = ["prometheus"];
const flow = workflow("flow", { version: "1" }, (w) => w.step("one", () => 1));

describeWith("promtool", requireDebian, () => {
  test(
    "metrics pass promtool check metrics, and what is wrong does not",
    { timeout: 300_000, tags: ["B-20"] },
    async () => {
      const { root, env } = await unpackDebian(prometheus);
      const { ledger, server, client } = await testServer([flow]);
      ledger.projector();
      await ledger.worker({ workflows: [flow] });
      await (await ledger.start(flow)).result();
      await expect.poll(async () => (await client.countRuns()).COMPLETED).toBe(1);
      const response = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
      const judge = (text: string) => check(join(root, "usr/bin/promtool"), env, text);
      expect(await judge(await response.text())).toEqual({ code: 0, said: "" });
      expect((await judge("# TYPE requests counter\nrequests 1\n")).code).not.toBe(0);
    },
  );

  test("the metrics of a worker pass too", { timeout: 300_000, tags: ["B-20"] }, async () => {
    const { root, env } = await unpackDebian(prometheus);
    const database = await freshDatabase();
    onTestFinished(() => database.drop());
    const cwd = freshProject({
      "runledger.config.js": `export default { workflows: ["./flow.js"] };`,
      "flow.js": `import { workflow } from "runledger";
        export const flow = workflow("flow", { version: "1" }, (w) => w.step("one", () => 1));`,
    });
    const where = { cwd, env: { RUNLEDGER_STORE: database.url } };
    const worker = startRunledger(where, "worker", "--health-port", "0");
    const url = (await worker.says(/http:\/\/127\.0\.0\.1:\d+/)).trim();
    await worker.says("Next ");
    expect((await runledger(where, "run", "flow", "--wait")).code).toBe(0);
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).toMatch(/^runledger_appended_events_total [1-9]/m);
    expect(await check(join(root, "usr/bin/promtool"), env, text)).toEqual({ code: 0, said: "" });
  });
});

async function check(program: string, env: object, text: string): Promise<{ code: number; said: string }> {
  const child = spawn(program, ["check", "metrics"], { env: { ...process.env, ...env } });
  let said = "";
  child.stdout.on("data", (part: Buffer) => (said += part.toString()));
  child.stderr.on("data", (part: Buffer) => (said += part.toString()));
  child.stdin.end(text);
  const [code] = (await once(child, "close")) as [number];
  return { code, said };
}
