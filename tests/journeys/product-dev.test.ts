/** `npm start` and `runledger dev` as a newcomer meets them: real processes, a fresh folder, and no patience. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { inRepository } from "../../scripts/lib/repository.mjs";
import {
  bin,
  freshFolder,
  freshProject,
  runledger,
  startNpmStart,
  type Running,
} from "../support/runledger-command.js";

function product(folder: string, ...more: readonly string[]): Running {
  return startNpmStart("--port", "0", "--store", `embedded:${folder}/data`, ...more);
}

/** By sample: its run. */
async function samplesOf(dev: Running): Promise<Map<string, string>> {
  await dev.says("Stop ");
  const lines = [...dev.output.matchAll(/^Sample {4}(\S+) {2}(\S+) {2}(.*)$/gm)];
  return new Map(lines.map(([, runId, , shows]) => [shows!, runId!]));
}

async function statusOf(folder: string, runId: string): Promise<string> {
  const { stdout } = await runledger({ cwd: folder }, "runs", "--json", "--store", `embedded:${folder}/data`);
  const runs = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { runId: string; status: string });
  return runs.find((run) => run.runId === runId)?.status ?? "absent";
}

async function until(folder: string, runId: string, wanted: string): Promise<void> {
  while ((await statusOf(folder, runId)) !== wanted);
}

/** Processes that name this folder. */
function leftBehind(folder: string): string[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      return line.includes(folder) ? [`${pid} ${line}`] : [];
    } catch {
      return []; // it has just ended
    }
  });
}

test("[U-01] the first start has a finished, a failed and a waiting run; the second finds them as they were", async () => {
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
  while (!(await events()).stdout.includes("RunTakenOver")); // once the lease of the one that was killed is over
});

test("[U-01] Ctrl-C lets running steps finish, twice hands them over", async () => {
  const folder = freshFolder();
  const dev = product(folder);
  const samples = await samplesOf(dev);
  await until(folder, [...samples.values()][3]!, "RUNNING"); // for half a minute
  dev.kill("SIGINT");
  await dev.says("Stopping: running steps are finished");
  await new Promise((resolve) => setTimeout(resolve, 300));
  dev.kill("SIGINT");
  expect(await dev.ended).toEqual({ code: 0, signal: null });
  expect(leftBehind(folder)).toEqual([]);
});

test("[U-01] after kill -9 of the whole group nothing is left behind", async () => {
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

test("[U-02] a command and a script work on the same database meanwhile, and go on when its owner is killed", async () => {
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
  let trouble = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => done.push(...text.trim().split("\n")));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (trouble += text));
  while (done.length < 5 && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 20));
  dev.kill("SIGKILL");
  await dev.ended;
  const before = done.length;
  while (done.length < before + 20 && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(trouble).not.toContain("Error");
  expect(child.exitCode).toBeNull();
  expect((await runledger({ cwd: folder }, "runs", "--store", `embedded:${folder}/data`)).code).toBe(0);
});

test("[U-03] a taken port: one line that says what to do", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const dev = startNpmStart("--port", String(port), "--store", `embedded:${freshFolder()}/data`);
  expect(await dev.ended).toMatchObject({ code: 3 });
  expect(dev.output).toMatch(/^error LISTEN_FAILED {2}.*--port\.\n$/);
});

test("[U-03] a configuration that cannot be read, and one with a sample of nothing: one line that says what to do", async () => {
  const broken = { cwd: freshProject({ "runledger.config.ts": "export default {" }) };
  expect(await runledger(broken, "dev")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error CONFIG_INVALID .*\n$/) as string,
  });
});

test("[U-03] a Node that is too old: one line that says what to do", async () => {
  const old =
    "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'18.20.4'}})";
  const child = spawn(process.execPath, ["--import", old, bin, "dev"]);
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const [code] = (await once(child, "close")) as [number];
  expect([code, said]).toEqual([2, expect.stringMatching(/^error NODE_TOO_OLD {2}.*20\.20.*18\.20\.4.*\n$/)]);
});
