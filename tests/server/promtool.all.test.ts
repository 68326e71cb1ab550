/** [U-16] What the server counts is read by Prometheus' own judge. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { workflow } from "runledger";
import { expect, test } from "vitest";
import { requireDebian, unpackDebian, type DebianProgram } from "../support/debian-packages.js";
import { describeWith } from "../support/requirements.js";
import { testServer, TOKEN } from "../support/test-server.js";

const prometheus: DebianProgram = ["prometheus"];
const flow = workflow("flow", { version: "1" }, (w) => w.step("one", () => 1));

describeWith("[U-16] promtool", requireDebian, () => {
  test("[U-16] metrics pass promtool check metrics, and what is wrong does not", { timeout: 300_000 }, async () => {
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
