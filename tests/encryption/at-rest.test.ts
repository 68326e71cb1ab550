// @module-tag B-33
/** A database contains no payload if payloads are encrypted, and a ledger with the keys reads all of them. */
import { query } from "@runledger/test-support/databases";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { until } from "@runledger/test-support/until";
import { rebuild } from "@runledger/runtime/projector/rebuild";
import { verify } from "@runledger/runtime/projector/verify";
import { connect, workflow, type Ledger } from "runledger";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";

/** Part of every payload, and of no name. */
const SECRET = "zebra";
const keyOf = (byte: number): string => Buffer.alloc(32, byte).toString("base64");
const FIRST = `first:${keyOf(1)}`;
const SECOND = `second:${keyOf(2)}`;

const orders = workflow(
  "orders",
  {
    version: "1",
    input: z.object({ note: z.string() }),
    state: { schema: z.object({ seen: z.string() }), initial: { seen: `${SECRET}-initial` } },
    signals: { go: z.object({ by: z.string() }) },
  },
  (w) => {
    const read = w.step("read", async ({ input, log, patch, artifact }) => {
      log(`${SECRET}-log`);
      patch({ seen: `${SECRET}-patched` });
      await artifact.write("table", `${SECRET}-bytes`);
      return { items: [`${SECRET}-item-1`, `${SECRET}-item-2`], note: input.note };
    });
    const each = w.forEach("each", { needs: { read }, items: ({ needs }) => needs.read.items }, (inner) =>
      inner.step("work", ({ item }) => `${item}-done`),
    );
    const go = w.waitForSignal("go", { after: [each] });
    return w.step("finish", { needs: { read, go } }, ({ needs, state }) => ({
      note: needs.read.note,
      by: needs.go.by,
      seen: state.seen,
    }));
  },
);
const failing = workflow("failing", { version: "1" }, (w) =>
  w.step("fail", { retry: { attempts: 1 } }, () => {
    throw new Error(`${SECRET}-message`);
  }),
);

/** All rows of all tables as text, with bytes as text. */
async function contentOf(url: string): Promise<string> {
  const tables = await query<{ name: string }>(
    url,
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'runledger' AND table_type = 'BASE TABLE'",
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const bytes = name === "artifact_chunks" ? "encode(bytes, 'escape')" : "''";
    const rows = await query(url, `SELECT t::text AS row, ${bytes} AS bytes FROM runledger.${name} t`);
    texts.push(...rows.map((row) => `${name} ${JSON.stringify(row)}`));
  }
  return texts.join("\n");
}

async function openLedger(url: string, keys: string): Promise<Ledger> {
  const ledger = await connect(url, { encryption: { keys } });
  ledger.projector();
  await ledger.worker({ workflows: [orders, failing], checkpointInterval: 1 });
  return ledger;
}

/** Starts a run that has a payload in every place, and returns its id. */
async function finishRun(ledger: Ledger, tenantId = "default"): Promise<string> {
  const run = await ledger.start(orders, { input: { note: `${SECRET}-input` }, tenantId });
  await run.signal("go", { by: `${SECRET}-signal` });
  await run.result();
  return run.id;
}

async function isProjected(ledger: Ledger, runId: string): Promise<boolean> {
  const snapshot = await ledger.store.getSnapshot(runId);
  return snapshot !== null && snapshot.stale !== true && snapshot.completedAt !== undefined;
}

test("no payload reaches the database, and runs work as before", async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  await using ledger = await openLedger(database.url, FIRST);
  await ledger.schedules.put({
    id: "nightly",
    workflow: orders,
    input: { note: `${SECRET}-scheduled` },
    cron: "0 3 * * *",
    timeZone: "UTC",
  });
  const runId = await finishRun(ledger, "acme");
  const failed = await ledger.start(failing, {});
  await expect(failed.result()).rejects.toThrow(`${SECRET}-message`);
  await until(async () => (await isProjected(ledger, runId)) && (await isProjected(ledger, failed.id)));
  await ledger.store.keyframes.makeKeyframes([runId]);

  const content = await contentOf(database.url);
  expect(content.split("\n").filter((row) => row.includes(SECRET))).toEqual([]);
  expect(content).toContain("run_events");

  const run = await ledger.get(orders, runId);
  expect(await run.result()).toEqual({ note: `${SECRET}-input`, by: `${SECRET}-signal`, seen: `${SECRET}-patched` });
  const [listed] = (await ledger.list({ status: ["FAILED"] }).page()).runs;
  expect(listed).toMatchObject({ runId: failed.id, error: { message: `${SECRET}-message` } });
  expect((await ledger.schedules.get("nightly"))?.definition.input).toEqual({ note: `${SECRET}-scheduled` });
  for await (const { differences, damage } of verify(ledger.store)) expect([differences, damage]).toEqual([[], []]);
});

test("after a rotation and a rebuild, runs of both keys are read and verified", async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const before = await openLedger(database.url, FIRST);
  const first = await finishRun(before);
  await before.close();
  await using ledger = await openLedger(database.url, `${SECOND},${FIRST}`);
  const second = await finishRun(ledger);
  await until(async () => (await isProjected(ledger, first)) && (await isProjected(ledger, second)));
  for await (const rebuilt of rebuild(ledger.store)) expect(rebuilt.damaged).toBe(false);
  for await (const { differences, damage } of verify(ledger.store)) expect([differences, damage]).toEqual([[], []]);
  expect(await contentOf(database.url)).not.toContain(SECRET);
  const results = await Promise.all([first, second].map(async (id) => (await ledger.get(orders, id)).result()));
  expect(results[0]).toEqual(results[1]);
});

test("encryption can be turned on for a store that has runs", async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const plain = await connect(database.url);
  plain.projector();
  await plain.worker({ workflows: [orders, failing] });
  const failed = await plain.start(failing, {});
  await expect(failed.result()).rejects.toThrow(SECRET);
  await until(() => isProjected(plain, failed.id));
  await plain.close();
  await using ledger = await openLedger(database.url, FIRST);
  await finishRun(ledger);
  await expect((await ledger.get(failing, failed.id)).result()).rejects.toThrow(`${SECRET}-message`);
  for await (const { differences, damage } of verify(ledger.store)) expect([differences, damage]).toEqual([[], []]);
});
