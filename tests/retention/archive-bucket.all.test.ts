// @module-tag B-31
/** An archive in a bucket of a real S3-compatible server, which is also killed, and whose objects are damaged (A7). */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newEvent } from "@runledger/contracts";
import { openPlace, type ArchivePlace } from "@runledger/runtime/archive/archive-place";
import { archiveRun } from "@runledger/runtime/archive/archive-run";
import { prepareArchive } from "@runledger/runtime/archive/archive-marker";
import { readArchivedEvents, verifyArchive } from "@runledger/runtime/archive/read-archive";
import { PostgresStore } from "@runledger/store-postgres";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { describeWith } from "@runledger/test-support/requirements";
import { freshFolder } from "@runledger/test-support/runledger-command";
import { requireS3, s3Variables, startS3 } from "@runledger/test-support/s3-server";
import { until } from "@runledger/test-support/until";
import { connect } from "runledger";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";

describeWith("an archive in a bucket", requireS3, () => {
  let server: Awaited<ReturnType<typeof startS3>>;

  beforeAll(async () => {
    server = await startS3();
    for (const [name, value] of Object.entries(s3Variables)) vi.stubEnv(name, value);
  }, 1_000_000); // Go builds the server once
  afterAll(async () => {
    vi.unstubAllEnvs();
    await server?.stop();
  });

  const url = (prefix: string): string => `s3://runs/${prefix}?endpoint=http://${server.address}`;

  async function filledStore(runs: number): Promise<{ readonly store: PostgresStore; readonly url: string }> {
    const database = await freshDatabase();
    const store = await PostgresStore.open({ url: database.url });
    onTestFinished(async () => {
      await store.close();
      await database.drop();
    });
    const emittedAt = new Date(Date.now() - 10 * 86_400_000).toISOString();
    for (const eventType of ["RunStarted", "RunCompleted"])
      await store.appendEvents(
        Array.from({ length: runs }, (_, n) =>
          newEvent({ runId: `run-${n}`, eventType, planId: "orders", planVersion: "1", emittedAt }),
        ),
      );
    return { store, url: database.url };
  }

  async function archived(store: PostgresStore, prefix: string, runs: number): Promise<ArchivePlace> {
    const place = await openPlace(url(prefix));
    await prepareArchive(place);
    for (let n = 0; n < runs; n++) await archiveRun(store, place, `run-${n}`);
    return place;
  }

  async function verified(place: ArchivePlace): Promise<(string | undefined)[]> {
    const damage: (string | undefined)[] = [];
    for await (const run of verifyArchive(place)) damage.push(run.damage);
    return damage;
  }

  test("commands archive to the bucket, read in place, verify and restore", async () => {
    const { store, url: from } = await filledStore(1100); // more than a page of the listing
    const where = { cwd: freshFolder(), env: s3Variables };
    const place = url("commands/deep");
    const command = async (...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await runledger(where, ...args);
      expect(code, stdout + stderr).toBe(0);
      return stdout;
    };
    const copied = await command("store", "archive", "--older-than", "0s", "--to", place, "--store", from, "--json");
    expect(JSON.parse(copied)).toEqual({ archived: 1100, copied: 1100, left: {} });
    const again = await command("store", "archive", "--older-than", "0s", "--to", place, "--store", from, "--json");
    expect(JSON.parse(again)).toMatchObject({ copied: 0 });
    expect(await command("store", "archive", "verify", place)).toContain("1100 runs with 2200 events verified");
    const printed = await command("events", "run-7", "--archive", place, "--json");
    const events = printed
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(events).toEqual(await store.fetchEvents("run-7"));
    const target = await freshDatabase();
    onTestFinished(target.drop);
    expect(await command("store", "import", "--from", place, "--store", target.url)).toContain("2200 events");
    await using restored = await PostgresStore.open({ url: target.url });
    expect(await restored.fetchEvents("run-7")).toEqual(events);
  });

  test("a changed or truncated object is refused and named", async () => {
    const { store } = await filledStore(1);
    const place = await archived(store, "damage", 1);
    const root = join(server.folder, "runs", "damage");
    const objects = readdirSync(root, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && entry.name.startsWith("events-"),
    );
    expect(objects).toHaveLength(1);
    const file = join(objects[0]!.parentPath, objects[0]!.name);
    const intact = readFileSync(file);
    const flipped = Buffer.from(intact);
    flipped[20]! ^= 4;
    for (const data of [flipped, intact.subarray(0, -9)]) {
      writeFileSync(file, data);
      expect(await verified(place)).toEqual([expect.stringContaining(objects[0]!.name)]);
      await expect(readArchivedEvents(place, "run-0").next()).rejects.toMatchObject({ code: "ARCHIVE_DAMAGED" });
    }
    await archiveRun(store, place, "run-0");
    expect(await verified(place)).toEqual([undefined]);
  });

  test("retention keeps runs while the server is down, and copies them afterwards", async () => {
    const { url: from } = await filledStore(3);
    const ledger = await connect(from);
    onTestFinished(() => ledger.close());
    ledger.projector();
    await ledger.retention.set({ deleteAfter: "1d" });
    await ledger.retention.set({ kind: "audit", deleteAfter: "1d" });
    await until(async () => (await ledger.retention.report()).some(({ toDelete }) => toDelete === 3));
    const faults: unknown[] = [];
    await server.kill();
    const cleaner = ledger.cleaner({ archive: url("retention"), everyMs: 50, onFault: (error) => faults.push(error) });
    await until(async () => faults.length > 0);
    expect(faults[0]).toMatchObject({ code: "ARCHIVE_UNAVAILABLE", family: "retry" });
    expect(await ledger.store.listHeads()).toHaveLength(3);
    await server.start();
    await until(async () => (await ledger.store.listHeads({ archived: true })).length === 0);
    await cleaner.stop();
    expect(await verified(await openPlace(url("retention")))).toEqual([undefined, undefined, undefined]);
  });

  test("a missing bucket and wrong credentials are reported without the secret", async () => {
    const missing = await openPlace(`s3://none/x?endpoint=http://${server.address}`);
    await expect(missing.read("a")).rejects.toMatchObject({ code: "ARCHIVE_UNAVAILABLE" });
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "another-secret-value");
    const refused = await openPlace(url("x"));
    const error = await refused.read("a").catch((thrown: unknown) => thrown);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", s3Variables.AWS_SECRET_ACCESS_KEY);
    expect(error).toMatchObject({ code: "ARCHIVE_UNAVAILABLE" });
    expect(String(error)).not.toContain("another-secret-value");
  });
});
