// @module-tag U-01
/** `npm start` and `runledger dev` that are killed, started again, shared, or have no port. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { runledger } from "@runledger/test-support/hosted-commands";
import { needTools } from "@runledger/test-support/requirements";
import { bin, freshFolder, startNpmStart } from "@runledger/test-support/runledger-command";
import { leftBehind, product, samplesOf, statusOf, until } from "./product.js";

test("the first start creates a finished, a failed and a waiting run, and the second start finds them unchanged", async () => {
  const folder = freshFolder();
  const first = product(folder);
  const samples = await samplesOf(first);
  expect(first.output).toMatch(/Console {3}http:\/\/127\.0\.0\.1:\d+[\s\S]*API[\s\S]*Store {5}embedded:.*data/);
  expect(first.output).toMatch(new RegExp(`Try it {4}kill -9 ${first.pid}`));
  const [finished, waiting, failed] = [...samples.values()];
  await until(folder, finished!, "COMPLETED");
  await until(folder, failed!, "FAILED");
  expect(await statusOf(folder, waiting!)).toBe("PENDING");
  first.kill("SIGKILL");
  await first.ended;
  const second = product(folder);
  expect([...(await samplesOf(second)).values()]).toEqual([...samples.values()]);
  console.log(/ready in .*/.exec(second.output)![0]);
  expect(await statusOf(folder, finished!)).toBe("COMPLETED");
  const crashed = [...samples.values()][3]!;
  const events = () => runledger({ cwd: folder }, "events", crashed, "--store", `embedded:${folder}/data`);
  while (!(await events()).stdout.includes("RunTakenOver")); // after the lease of the killed worker expires
});

test("kill -9 of the process group leaves no process behind", async (context) => {
  needTools(context, "setpriv"); // without it, the server of a killed owner stays
  const folder = freshFolder();
  const args = [bin, "dev", "--config", inRepository("examples/tour/runledger.config.ts"), "--port", "0"];
  const child = spawn(process.execPath, [...args, "--store", `embedded:${folder}/data`], { detached: true });
  onTestFinished(() => void (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")));
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  while (!output.includes("Stop ")) await once(child.stdout, "data");
  expect(leftBehind(folder).length).toBeGreaterThan(1);
  process.kill(-child.pid!, "SIGKILL");
  await once(child, "close");
  while (leftBehind(folder).length > 0) await new Promise((resolve) => setTimeout(resolve, 50));
});

test(
  "a command and a script share the embedded database and continue when its owner is killed",
  { tags: ["U-02"] },
  async () => {
    const folder = freshFolder();
    const dev = product(folder);
    await samplesOf(dev);
    const script = join(folder, "script.mjs");
    writeFileSync(
      script,
      `import { connect, workflow } from ${JSON.stringify(inRepository("packages/runledger/dist/index.js"))};
const flow = workflow("scripted", { version: "1" }, (w) => w.step("one", () => 1));
const ledger = await connect("embedded:${folder}/data");
await ledger.worker({ workflows: [flow] });
for (let n = 0; ; n++) { await (await ledger.start(flow, undefined, { requestId: String(n) })).result(); console.log("done", n); }`,
    );
    const child = spawn(process.execPath, [script]);
    onTestFinished(async () => {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "close");
    });
    const done: string[] = [];
    let errors = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => done.push(...text.trim().split("\n")));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    while (done.length < 5 && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 20));
    dev.kill("SIGKILL");
    await dev.ended;
    const before = done.length;
    while (done.length < before + 20 && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(errors).not.toContain("Error");
    expect(child.exitCode).toBeNull();
    expect((await runledger({ cwd: folder }, "runs", "--store", `embedded:${folder}/data`)).code).toBe(0);
  },
);

test("a port in use is reported in one line with a remedy", { tags: ["U-03"] }, async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const dev = startNpmStart("--port", String(port), "--store", `embedded:${freshFolder()}/data`);
  expect(await dev.ended).toMatchObject({ code: 3 });
  expect(dev.output).toMatch(/^error LISTEN_FAILED {2}.*--port\.\n$/);
});
