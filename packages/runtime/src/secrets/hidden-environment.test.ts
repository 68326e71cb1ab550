// @module-tag R-23
/** A worker as a real process. Its command steps try to read its environment (S1). */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** Differs in every process, because all processes of the machine are searched for it. */
const PASSWORD = `correct horse battery ${randomUUID()}`;
const backwards = (text: string): string => Array.from(text).toReversed().join("");

/** Prints the ids of all processes whose environment contains the password, which is passed backwards. */
const SEARCH = `
  const fs = require("node:fs");
  const needle = [...process.argv[1]].reverse().join("");
  const read = (pid) => { try { return fs.readFileSync("/proc/" + pid + "/environ", "utf8") } catch { return "" } };
  const found = fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name) && read(name).includes(needle));
  console.log(JSON.stringify({ found, parent: read(process.ppid).replaceAll(String.fromCharCode(0), ''), own: Object.keys(process.env).sort() }));`;

const WORKER = `
  import { connect, EnvSecrets, followLog, secret, workflow } from "@runledger/runtime";
  const [search, needle] = process.argv.slice(1);
  const flow = workflow("leak", {}, (w) => {
    if (process.env.ONLY === "print") return void w.step("print", () => [...needle].reverse().join(""));
    const look = w.command("look", { run: [process.execPath, "-e", search, needle] });
    const use = w.command("use", { after: [look], run: [process.execPath, "-e", "console.log(process.env.P.length)"], env: { P: secret("db-password") } });
    w.step("print", { after: [use] }, () => [...needle].reverse().join(""));
  });
  const ledger = await connect("memory:");
  const options = () => (process.env.EXPLICIT === "1" ? { secrets: new EnvSecrets(process.env) } : {});
  await ledger.worker({ workflows: [flow], ...options() });
  await ledger.worker({ workflows: [flow], ...options() }); // finds the secrets that the first one moved
  const run = await ledger.start(flow);
  const result = { kept: process.env.KEPT, use: "", secret: process.env.RUNLEDGER_SECRET_DB_PASSWORD ?? null };
  for await (const { eventType, stepId, eventData } of run.events())
    if (eventType.startsWith("StepCompleted") && stepId === "print") result.print = eventData.output;
  for (const { uri, stepId } of await ledger.store.artifacts.listArtifacts({ runId: run.id }))
    for await (const { text } of followLog(ledger.store.artifacts, uri, { follow: false })) result[stepId] = text;
  console.log(JSON.stringify(result));
  await ledger.close();`;

interface Result {
  readonly kept: string;
  readonly secret: string | null;
  readonly look: string;
  readonly use: string;
  readonly print: string;
}

async function runWorker(variables: Record<string, string>): Promise<Result> {
  const args = ["--input-type=module", "-e", WORKER, SEARCH, backwards(PASSWORD)];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: import.meta.dirname,
    env: { PATH: process.env["PATH"], KEPT: "yes", RUNLEDGER_SECRET_DB_PASSWORD: PASSWORD, ...variables },
  });
  return JSON.parse(stdout) as Result;
}

test.each([
  ["default", {}],
  ["explicit", { EXPLICIT: "1" }],
])("a command finds no secret in any environment, and secrets still resolve: %s provider", async (_, variables) => {
  const result = await runWorker(variables);
  const { found, parent, own } = JSON.parse(result.look) as { found: string[]; parent: string; own: string[] };
  expect({ found, parent }).toEqual({ found: [], parent: "" });
  expect(own.filter((name) => !INHERITED.has(name) && !name.startsWith("RUNLEDGER_"))).toEqual([]);
  expect(own.filter((name) => name.startsWith("RUNLEDGER_SECRET"))).toEqual([]);
  expect(result).toMatchObject({ kept: "yes", secret: null, use: String(PASSWORD.length) });
});

const INHERITED = new Set(["PATH", "HOME", "LANG"]);

test("a secret that no step has resolved is redacted", async () => {
  expect(await runWorker({ ONLY: "print" })).toMatchObject({ print: "[secret db-password]", use: "" });
});

test("a worker warns once if the system keeps its environment readable", { tags: ["R-26"] }, async () => {
  const script = `
    import { hideInitialEnvironment } from "@runledger/runtime/config/initial-environment";
    import { connect, workflow } from "@runledger/runtime";
    if (process.env.SANDBOX === "1") hideInitialEnvironment("/proc/self/no-such-file"); // as if the system refused access
    const ledger = await connect("memory:");
    const workflows = [workflow("flow", {}, (w) => w.step("a", () => 1))];
    await ledger.worker({ workflows });
    await ledger.worker({ workflows });
    await ledger.close();`;
  const warnings = async (variables: Record<string, string>) => {
    const { stderr } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
      cwd: import.meta.dirname,
      env: { PATH: process.env["PATH"], ...variables },
    });
    return stderr.split("\n").filter((line) => line.startsWith(`{"level":"warn"`)).length;
  };
  expect(await warnings({ SANDBOX: "1" })).toBe(1);
  expect(await warnings({})).toBe(0);
});
