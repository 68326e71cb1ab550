// @module-tag B-32
/** `runledger erase` on a store: one run, and all runs of a label. */
import { newEvent } from "@runledger/contracts";
import { PostgresStore } from "@runledger/store-postgres";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { expect, onTestFinished, test } from "vitest";

const SECRET = "zebra";
const REASON = ["--reason", "request 4711"];

test("erase removes payloads of a run or a label, names open runs, and is audited", async () => {
  const { url, drop } = await freshDatabase();
  onTestFinished(drop);
  await using store = await PostgresStore.open({ url });
  const add = (runId: string, customer: string, ...types: readonly string[]) => {
    const plan = { planId: "orders", planVersion: "1" };
    const data = { plan, logFormat: 1, input: SECRET, labels: { customer } };
    const queued = newEvent({ runId, eventType: "RunQueued", ...plan, eventData: data });
    return store.appendEvents([queued, ...types.map((eventType) => newEvent({ runId, eventType, ...plan }))]);
  };
  for (const runId of ["run-a", "run-b"]) await add(runId, "17", "RunStarted", "RunCompleted");
  await add("run-other", "18", "RunStarted", "RunCompleted");
  const erase = (...args: readonly string[]) =>
    runledger({ cwd: process.cwd() }, "erase", ...args, ...REASON, "--store", url);
  const hasPayload = async (runId: string): Promise<boolean> =>
    JSON.stringify(await store.fetchEvents(runId)).includes(SECRET);

  const one = await erase("run-a", "--json");
  expect([one.code, JSON.parse(one.stdout)], one.stderr).toEqual([0, { runId: "run-a", erased: true, events: 1 }]);
  await add("run-open", "17", "RunStarted");
  const label = await erase("--label", "customer:17");
  expect([label.code, label.stderr]).toEqual([3, expect.stringContaining("RUN_NOT_FINISHED")]);
  expect(label.stdout).toContain("Erased the payloads of 2 runs.");
  const left = await Promise.all(["run-a", "run-b", "run-open", "run-other"].map(hasPayload));
  expect(left).toEqual([false, false, true, true]);

  const shown = await runledger({ cwd: process.cwd() }, "show", "run-b", "--json", "--store", url);
  expect(shown.stdout).toContain("request 4711");
  const entries = await store.audit.listAudit({ tenantId: "default" });
  const targets = entries.filter(({ action }) => action === "eraseRun").map(({ target }) => target);
  expect(targets.sort()).toEqual(["run-a", "run-a", "run-b", "run-open"]);
  expect(entries[0]).toMatchObject({ actorKind: "command-line" });
  const verified = await runledger({ cwd: process.cwd() }, "store", "verify", "--run", "run-b", "--store", url);
  expect(verified.code, verified.stdout).toBe(0);
  const wrong = await erase("run-a", "--label", "customer:17");
  expect(wrong.code).toBe(2);
});
