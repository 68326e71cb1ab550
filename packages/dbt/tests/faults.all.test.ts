// @module-tag D-22
/** Never a false success: what dbt reports is compared, with the real dbt behind a program that damages its reports. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dbtProgram, requireDbt } from "@runledger/test-support/dbt";
import { describeWith } from "@runledger/test-support/requirements";
import { freshFolder } from "@runledger/test-support/runledger-command";
import { expect, test } from "vitest";
import { ended, openShop, type EndedShop, type ShopParts } from "./shop.js";

/** Runs dbt with this Python code around it. `target` is its target folder, `main()` runs the command and returns its exit code. */
async function around(code: string): Promise<string> {
  const program = join(freshFolder(), "dbt");
  const python = (await dbtProgram()).replace(/dbt$/, "python");
  const lines = [
    `#!${python}`,
    "import json, os, signal, subprocess, sys, threading",
    "args = sys.argv[1:]",
    'target = args[args.index("--target-path") + 1]',
    `command = [${JSON.stringify(await dbtProgram())}, *args]`,
    "def main(): return subprocess.run(command).returncode",
    'results = os.path.join(target, "run_results.json")',
    code,
  ];
  writeFileSync(program, lines.join("\n"));
  chmodSync(program, 0o755);
  return program;
}

/** A seed, a model and its three tests. */
const small = { select: ["+stg_orders"], exclude: ["stg_payments"] };

async function run(code: string, parts: ShopParts = {}): Promise<EndedShop> {
  const { run: toEnd } = await openShop({ options: small, ...parts, settings: { program: await around(code) } });
  return toEnd();
}

const errorOf = (shop: EndedShop) => shop.steps.get("build")!.error;

describeWith("a dbt whose reports differ", requireDbt, () => {
  test("without damage the program around dbt changes nothing", async () => {
    expect((await run("sys.exit(main())")).status).toBe("COMPLETED");
  });

  test("exit code 0 and a failed node", async () => {
    const { project, run: toEnd } = await openShop({
      options: small,
      settings: { program: await around("main(); sys.exit(0)") },
    });
    writeFileSync(join(project, "models/staging/stg_orders.sql"), "select no_column from {{ ref('raw_orders') }}");
    const shop = await toEnd();
    expect(errorOf(shop)).toMatchObject({ code: "DBT_RESULTS_MISMATCH", retryable: false });
    expect(errorOf(shop)!.message).toContain("The exit code is 0, but the stream reports failure.");
  });

  test("a node that run_results.json calls failed", async () => {
    const shop = await run(`
code = main()
content = json.load(open(results))
content["results"][-1]["status"] = "fail"
json.dump(content, open(results, "w"))
sys.exit(code)`);
    expect(errorOf(shop)).toMatchObject({ code: "DBT_RESULTS_MISMATCH" });
    expect(errorOf(shop)!.message).toMatch(/test\.shop\.\S+ is pass in the stream and fail in run_results\.json/);
  });

  test("no run_results.json", async () => {
    const shop = await run("code = main(); os.remove(results); sys.exit(code)");
    expect(errorOf(shop)).toMatchObject({ code: "DBT_RESULTS_MISMATCH" });
  });

  test("a stream that ends early, with exit code 0", async () => {
    const shop = await run(`
dbt = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
finished = 0
for line in dbt.stdout:
    if '"NodeFinished"' in line: finished += 1
    if finished < 2: sys.stdout.write(line)
sys.exit(dbt.wait())`);
    expect(shop.status).toBe("FAILED");
    expect(errorOf(shop)).toMatchObject({ code: "DBT_STREAM_TRUNCATED", retryable: true });
  });

  test("a manifest.json of another project", async () => {
    const shop = await run(`
code = main()
manifest = os.path.join(target, "manifest.json")
content = json.load(open(manifest))
content["nodes"] = {}
json.dump(content, open(manifest, "w"))
sys.exit(code)`);
    expect(errorOf(shop)).toMatchObject({ code: "DBT_MANIFEST_MISMATCH", retryable: false });
  });

  test("a full disk", async () => {
    const shop = await run(`
os.makedirs(target, exist_ok=True)
os.symlink("/dev/full", results)
sys.exit(main())`);
    expect(shop.status).toBe("FAILED");
    expect(errorOf(shop)).toMatchObject({ code: "DBT_DISK_FULL", retryable: false });
    expect(errorOf(shop)!.message).toContain("No space left on device");
  });

  test("a selection without a node, which dbt calls a success", async () => {
    const shop = await run("sys.exit(main())", { options: { select: ["no_such_model"] } });
    expect(errorOf(shop)).toMatchObject({ code: "DBT_NOTHING_SELECTED", retryable: false });
  });

  test("a project that does not parse", async () => {
    const { project, run: toEnd } = await openShop();
    writeFileSync(join(project, "models/staging/stg_orders.sql"), "select * from {{ ref('no_such_seed') }}");
    const shop = await toEnd();
    expect(errorOf(shop)).toMatchObject({ code: "DBT_FAILED", retryable: false });
    expect(errorOf(shop)!.message).toContain("no_such_seed");
  });
});

describeWith("a dbt that is killed", requireDbt, () => {
  test("is followed by another attempt, which runs only what is missing", { tags: ["D-21"] }, async () => {
    const folder = freshFolder();
    const program = await around(`
once = os.path.join(${JSON.stringify(folder)}, "killed")
if os.path.exists(once): os.execv(command[0], command)
dbt = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
for line in dbt.stdout:
    sys.stdout.write(line); sys.stdout.flush()
    if '"NodeFinished"' in line:
        open(once, "w").close()
        dbt.kill(); dbt.wait()
        os.kill(os.getpid(), signal.SIGKILL)`);
    const { ledger, start } = await openShop({ options: small, attempts: 2, settings: { program } });
    const handle = await start();
    const shop = await ended(handle);
    expect(shop.status).toBe("COMPLETED");
    const events = await ledger.store.fetchEvents(handle.id);
    const failure = events.find(({ eventType, stepId }) => eventType === "StepFailed" && stepId === "build")!;
    expect(failure.eventData).toMatchObject({ error: { code: "DBT_KILLED", retryable: true } });
    const done = events.filter(({ eventType, runSeq }) => eventType === "StepCompleted" && runSeq < failure.runSeq);
    const again = events.filter(({ eventType, runSeq }) => eventType === "StepStarted" && runSeq > failure.runSeq);
    expect(done.length).toBeGreaterThan(0);
    expect(again.map(({ stepId }) => stepId)).not.toContain(done[0]!.stepId);
    expect(done.length + again.length - 1).toBe(5); // without the step itself
  });
});
