// @module-tag B-32
/** Erasure of real runs on PostgreSQL: nothing of their payloads is left in the database, and their logs verify (A6). */
import { query } from "@runledger/test-support/databases";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { until } from "@runledger/test-support/until";
import { rebuild } from "@runledger/runtime/projector/rebuild";
import { verify } from "@runledger/runtime/projector/verify";
import { connect, workflow, type EncryptionSettings, type Ledger } from "runledger";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";

/** Part of every payload of customer 17, and of nothing else. */
const SECRET = "zebra";
const REASON = "request 4711";
const CUSTOMER = { customer: "17" };

const orders = workflow(
  "orders",
  { version: "1", input: z.object({ note: z.string() }), signals: { go: z.object({ by: z.string() }) } },
  (w) => {
    const read = w.step("read", async ({ input, log, artifact }) => {
      log(`log of ${input.note}`);
      await artifact.write("table", `bytes of ${input.note}`);
      return { note: input.note };
    });
    const go = w.waitForSignal("go", { after: [read] });
    return w.step("finish", { needs: { read, go }, retry: { attempts: 1 } }, ({ needs }) => {
      if (needs.go.by.startsWith("fail")) throw new Error(`failed for ${needs.read.note}`);
      return needs.read.note;
    });
  },
);

async function openLedger(encryption?: EncryptionSettings): Promise<{ ledger: Ledger; url: string }> {
  const { url, drop } = await freshDatabase();
  onTestFinished(drop);
  const ledger = await connect(url, { encryption });
  onTestFinished(() => ledger.close());
  ledger.projector();
  await ledger.worker({ workflows: [orders], checkpointInterval: 1 });
  return { ledger, url };
}

interface Wanted {
  readonly note: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly by?: string;
  readonly requestId?: string;
}

async function finish(ledger: Ledger, { note, by = "ada", ...options }: Wanted): Promise<string> {
  const run = await ledger.start(orders, { input: { note }, ...options });
  await run.signal("go", { by: `${by} ${note}` });
  await run.result().catch(() => {});
  await until(async () => {
    const snapshot = await ledger.store.getSnapshot(run.id);
    return snapshot !== null && snapshot.stale !== true && snapshot.completedAt !== undefined;
  });
  return run.id;
}

/** The names of the tables that contain the secret. */
async function tablesWithSecret(url: string): Promise<string[]> {
  const tables = await query<{ name: string }>(
    url,
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'runledger' AND table_type = 'BASE TABLE' ORDER BY 1",
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const bytes = name === "artifact_chunks" ? "encode(bytes, 'escape')" : "''";
    const rows = await query(url, `SELECT t::text || ${bytes} AS row FROM runledger.${name} t`);
    if (JSON.stringify(rows).includes(SECRET)) found.push(name);
  }
  return found;
}

test("all runs of a label are erased everywhere, others are not, and the store verifies", async () => {
  const { ledger, url } = await openLedger();
  const note = `${SECRET}-17`;
  const done = await finish(ledger, { note, labels: CUSTOMER, requestId: "once" });
  const failed = await finish(ledger, { note, labels: CUSTOMER, by: "fail" });
  const other = await finish(ledger, { note: "of customer 18", labels: { customer: "18" } });
  const open = await ledger.start(orders, { input: { note: "open" }, labels: CUSTOMER });
  expect(await tablesWithSecret(url)).toEqual(
    expect.arrayContaining(["artifact_chunks", "run_events", "run_index", "run_snapshots", "run_steps"]),
  );
  const before = await ledger.store.fetchEvents(done);

  const erased = await ledger.erasure.label(CUSTOMER, { reason: REASON, by: "ops" });
  expect([[...erased.erased].sort(), erased.open]).toEqual([[done, failed].sort(), [open.id]]);
  expect(await tablesWithSecret(url)).toEqual([]);

  const after = await ledger.store.fetchEvents(done);
  const keysOf = (events: typeof after) =>
    events.map(({ runSeq, eventType, idempotencyKey }) => [runSeq, eventType, idempotencyKey]);
  expect(keysOf(after)).toEqual(keysOf(before));
  expect(await ledger.store.getSnapshot(done)).toMatchObject({
    status: "COMPLETED",
    labels: CUSTOMER,
    erased: { by: "ops", reason: REASON },
  });
  const output: unknown = await (await ledger.get(orders, done)).result();
  expect(output).toMatchObject({ $erased: { by: "ops", reason: REASON } });
  const shown = await ledger.store.getSnapshot(failed);
  expect(shown).toMatchObject({ status: "FAILED", culprit: "finish", error: { message: "erased" } });
  for await (const rebuilt of rebuild(ledger.store)) expect(rebuilt.damaged).toBe(false);
  expect(await ledger.store.getSnapshot(failed)).toEqual(shown);
  for await (const { differences, damage } of verify(ledger.store)) expect([differences, damage]).toEqual([[], []]);
  expect(await (await ledger.get(orders, other)).result()).toBe("of customer 18");
});

test("a change of an erased event is found, and the hash of its original is kept", async () => {
  const { ledger, url } = await openLedger();
  const runId = await finish(ledger, { note: SECRET });
  const hashes = () =>
    query(url, `SELECT content_hash FROM runledger.run_events WHERE run_id = '${runId}' ORDER BY run_seq`);
  const before = await hashes();
  await ledger.erasure.run(runId, { reason: REASON });
  expect(await hashes()).toEqual(before);
  await query(
    url,
    `UPDATE runledger.run_events SET event_data = event_data || '{"by": "another"}' WHERE run_id = '${runId}' AND run_seq = 1`,
  );
  expect(await ledger.store.derived.changedEvents(runId)).toEqual([1]);
});

test("an erased run is neither retried nor forked, and its request still finds it", async () => {
  const { ledger } = await openLedger();
  const wanted = { note: SECRET, by: "fail", requestId: "once" };
  const runId = await finish(ledger, wanted);
  await ledger.erasure.run(runId, { reason: REASON });
  await expect(ledger.act(runId, "RETRY_RUN")).rejects.toThrow("the payloads of the run are erased");
  await expect(ledger.fork(runId, { from: "read" })).rejects.toMatchObject({ code: "FORK_INVALID" });
  const again = await ledger.start(orders, { input: { note: SECRET }, requestId: "once" });
  expect(again.id).toBe(runId);
});

test("a run that has not finished is refused with its code", async () => {
  const { ledger } = await openLedger();
  const { id } = await ledger.start(orders, { input: { note: SECRET } });
  await expect(ledger.erasure.run(id, { reason: REASON })).rejects.toMatchObject({ code: "RUN_NOT_FINISHED" });
  await expect(ledger.erasure.run("none", { reason: REASON })).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
});

test("an encrypted run is erased without its key", async () => {
  const keys = `first:${Buffer.alloc(32, 1).toString("base64")}`;
  const { ledger, url } = await openLedger({ keys });
  const runId = await finish(ledger, { note: SECRET, by: "fail" });
  const without = await connect(url);
  await without.erasure.run(runId, { reason: REASON, by: "ops" });
  await without.close();
  const rows = await query(url, `SELECT event_data FROM runledger.run_events WHERE run_id = '${runId}'`);
  expect(JSON.stringify(rows)).not.toContain("$sealed");
  expect(await ledger.store.getSnapshot(runId)).toMatchObject({ erased: { by: "ops" }, error: { message: "erased" } });
  for await (const { differences, damage } of verify(ledger.store)) expect([differences, damage]).toEqual([[], []]);
});
