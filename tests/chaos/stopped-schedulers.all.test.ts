// @module-tag R-09
/** Schedulers are suspended at every point of firing. Another one continues, and every tick has one run when they resume. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, workflow, type Ledger } from "runledger";
import { expect, onTestFinished, test } from "vitest";
import { checkHistory, mergeHistories, readEnd, type Operation } from "@runledger/store-conformance";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { startProgram, type Running } from "@runledger/test-support/runledger-command";
import { until } from "@runledger/test-support/until";
import { isStopped } from "../projector/projector-process.js";

const POINTS = ["claimed", "start sent", "start answered", "saved"];
const orders = workflow("orders", { version: "1" }, (w) => w.step("load", () => 1));
const range = { from: "2000-01-01T00:00:00.000Z", to: "2100-01-01T00:00:00.000Z" };

const ticks = ({ store }: Ledger) => store.schedules.listTicks({ tenantId: "default", scheduleId: "often", ...range });

/** Waits for so many ticks more. */
async function pass(ledger: Ledger, more: number): Promise<void> {
  const before = (await ticks(ledger)).length;
  await until(async () => (await ticks(ledger)).length >= before + more);
}

async function operations(folder: string): Promise<Operation[]> {
  const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")));
  return texts.flatMap((text) => text.split("\n").slice(0, -1)).map((line) => JSON.parse(line) as Operation);
}

test("schedulers that are suspended at any point keep nothing from firing, and fire nothing twice", async () => {
  const database = await freshDatabase();
  const folder = await mkdtemp(join(tmpdir(), "runledger-stopped-"));
  const ledger = await connect(database.url);
  onTestFinished(async () => {
    await ledger.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });
  const start = (name: string, ...fault: string[]): Running =>
    startProgram({ cwd: folder }, "tests/chaos/schedule-process.mjs", database.url, name, join(folder, name), ...fault);

  await ledger.schedules.put({ workflow: orders, id: "often", every: "1s", catchUp: "all", overlap: "allow" });
  const stopped: Running[] = [];
  for (const point of POINTS) {
    const scheduler = start(point.replace(" ", "-"), point, "1", "SIGSTOP");
    stopped.push(scheduler);
    await until(() => isStopped(scheduler)); // the schedule that it holds is free again after a second
  }
  const other = start("other", "nowhere");
  await pass(ledger, 3);
  for (const scheduler of stopped) scheduler.kill("SIGCONT");
  await pass(ledger, 3);
  const all = [...stopped, other];
  for (const each of all) each.kill("SIGKILL");
  await Promise.all(all.map(({ ended }) => ended));

  const found = await ticks(ledger);
  const times = found.map(({ tick }) => Date.parse(tick));
  expect(times.slice(1).map((time, index) => time - times[index]!)).toEqual(times.slice(1).map(() => 1000));
  const heads = await ledger.store.listHeads({ limit: 10_000 });
  expect(heads.map(({ runId }) => runId).toSorted()).toEqual(found.map(({ runId }) => runId).toSorted());
  const history = mergeHistories([{ operations: await operations(folder) }, await readEnd(ledger.store)]);
  expect(checkHistory(history).violations).toEqual([]);
});
