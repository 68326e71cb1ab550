// @module-tag S-07
/** Backups of an operator: real databases, real processes, and kill -9 during the export. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { newEvent } from "@runledger/contracts";
import { PostgresStore } from "@runledger/store-postgres";
import { connect, workflow } from "runledger";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshFolder, startRunledger } from "@runledger/test-support/runledger-command";

const RUNS = 1200;
let [source, target]: FreshDatabase[] = [];

const approval = workflow("approval", { version: "1.0.0" }, (w) => {
  const first = w.step("first", () => ({ rows: 3 }));
  const release = w.waitForSignal("release", { after: [first] });
  return w.step("last", { needs: { first, release } }, ({ needs }) => needs.first.rows);
});

beforeAll(async () => {
  [source, target] = await Promise.all([freshDatabase(), freshDatabase()]);
  await using store = await PostgresStore.open({ url: source.url });
  const ids = Array.from({ length: RUNS }, (_, index) => `run-${String(index).padStart(4, "0")}`);
  const types = ["RunStarted", "RunCompleted"];
  for (const eventType of types)
    await store.appendEvents(ids.map((runId) => newEvent({ runId, eventType, planVersion: "1" })));
});
afterAll(() => Promise.all([source?.drop(), target?.drop()]));

test("an export continues after kill -9, and the restored store passes store verify", async () => {
  const cwd = freshFolder();
  await using ledger = await connect(source!.url);
  await ledger.worker({ workflows: [approval] });
  const open = await ledger.start(approval, { requestId: "open" });
  for await (const event of open.events()) if (event.eventType === "StepCompleted") break;

  const parts = join(cwd, "backup", "parts.jsonl");
  do {
    rmSync(join(cwd, "backup"), { recursive: true, force: true });
    const killed = startRunledger({ cwd }, "store", "export", "--store", source!.url, "--to", "backup");
    while (!existsSync(parts) || readFileSync(parts, "utf8") === "") await sleep(1);
    killed.kill("SIGKILL");
    await killed.ended;
  } while (lineCount(parts) >= RUNS + 1); // retry if it copied everything before it was killed

  const again = await runledger({ cwd }, "store", "export", "--store", source!.url, "--to", "backup", "--json");
  expect(again.code, again.stderr).toBe(0);
  expect(lineCount(parts)).toBeGreaterThanOrEqual(RUNS + 1);

  const restored = await runledger({ cwd }, "store", "import", "--store", target!.url, "--from", "backup");
  expect(restored.code, restored.stderr).toBe(0);
  expect(restored.stdout).toContain("1201 runs copied");
  const verified = await runledger({ cwd }, "store", "verify", "--store", target!.url);
  expect(verified.stdout.split("\n").at(-2), verified.stderr).toMatch(/verified, no differences/);
  expect(verified.code).toBe(0);
});

test("an open run resumes in the restored store, and its request id returns it", async () => {
  await using ledger = await connect(target!.url);
  await ledger.worker({ workflows: [approval] });
  const run = await ledger.start(approval, { requestId: "open" });
  await ledger.signal(run.id, "release", {});
  expect(await run.result()).toBe(3);
});

// Other systems have no file system that refuses new folders with ENOENT.
test.runIf(process.platform === "linux")(
  "an export into a place that takes no folders is refused",
  { tags: ["R-43"] },
  async () => {
    const refused = await runledger(
      { cwd: freshFolder() },
      "store",
      "export",
      "--store",
      source!.url,
      "--to",
      "/proc/export",
    );
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error OPTION_INVALID .*\/proc\/export/) as string,
    });
  },
);

test("store migrate --print prints the SQL without running it", { tags: ["S-02"] }, async () => {
  const cwd = freshFolder();
  const url = "snowflake://loader@acme/OPS/LEDGER?shape=standard";
  const shown = await runledger({ cwd }, "store", "migrate", "--print", "--store", url);
  expect(shown.code, shown.stderr).toBe(0);
  expect(shown.stdout).toContain("CREATE TABLE IF NOT EXISTS RUN_EVENTS (");
  expect(shown.stdout).toContain("CLUSTER BY (RUN_ID, PERSISTED_AT)");
  const hybrid = await runledger({ cwd }, "store", "migrate", "--print", "--store", url.replace("standard", "hybrid"));
  expect(hybrid.stdout).toContain("CREATE HYBRID TABLE IF NOT EXISTS RUN_EVENTS (");
});

test("connect refuses Snowflake as a store for workers before it opens a connection", async () => {
  const connecting = connect("snowflake://loader@acme/OPS/LEDGER");
  await expect(connecting).rejects.toMatchObject({ code: "STORE_UNSUITABLE", family: "stop" });
  await expect(connect("snowflake://loader@acme/OPS/LEDGER")).rejects.toThrow("no queue and no leases");
});

const lineCount = (file: string): number => readFileSync(file, "utf8").split("\n").length - 1;
