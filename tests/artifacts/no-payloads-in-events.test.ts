// @module-tag D-03
/** Artifacts of every kind, and every stored event of a database. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { query } from "@runledger/test-support/databases";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { connect, workflow } from "runledger";
import { expect, onTestFinished, test } from "vitest";

/** Part of every artifact, and of nothing else. */
const PAYLOAD = "zebra-payload";
const BYTES = Buffer.from(PAYLOAD);

async function* stream(): AsyncGenerator<Uint8Array> {
  for (let part = 0; part < 20; part++) yield Buffer.alloc(100_000, `${PAYLOAD}\n`);
}

const everything = workflow("everything", { version: "1" }, (w) => {
  const small = w.step("small", ({ artifact }) => artifact.write("text", PAYLOAD));
  const large = w.step("large", { after: [small] }, async ({ artifact, log }) => {
    log(PAYLOAD, { also: PAYLOAD });
    return [await artifact.write("bytes", BYTES), await artifact.write("stream", stream())];
  });
  const items = () => Array.from({ length: 1000 }, (_, index) => `${PAYLOAD} number ${index}`);
  const each = w.forEach("each", { items, after: [large], concurrency: 500 }, (b) =>
    b.step("one", ({ index }) => index),
  );
  return w.step("fails", { needs: { small }, after: [each] }, async ({ artifact, needs, log }) => {
    log(PAYLOAD);
    await artifact.write("copy", artifact.read(needs.small));
    await artifact.write("large-copy", stream());
    throw new Error("after its artifacts");
  });
});

test.each(["store:", "file:"])("no stored event has the payload of an artifact in %s", async (place) => {
  const database = await freshDatabase();
  const folder = mkdtempSync(join(tmpdir(), "runledger-artifacts-"));
  const artifacts = place === "store:" ? place : pathToFileURL(folder).href;
  const ledger = await connect(database.url, { artifacts });
  onTestFinished(async () => {
    await ledger.close();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });
  await ledger.worker({ workflows: [everything] });
  const run = await ledger.start(everything);
  await expect(run.result()).rejects.toMatchObject({ code: "RUN_FAILED" });

  const events = (await query(database.url, "SELECT to_jsonb(e)::text AS row FROM runledger.run_events e")) as {
    row: string;
  }[];
  expect(events.length).toBeGreaterThan(1000);
  const written = ["text", "bytes", "stream", "copy", "large-copy", "log"];
  for (const kind of written)
    expect(
      events.some(({ row }) => row.includes(`"kind": "${kind}"`)),
      kind,
    ).toBe(true);
  const base64 = BYTES.toString("base64").slice(0, -2); // without its padding
  const found = events.filter(({ row }) => [PAYLOAD, base64, BYTES.toString("hex")].some((text) => row.includes(text)));
  expect(found).toEqual([]);
  const uri = place === "store:" ? "store://art_" : `${artifacts}/${run.id}/art_`;
  expect(events.filter(({ row }) => row.includes(uri)).length).toBeGreaterThan(2);
  const size = Math.max(...events.map(({ row }) => row.length));
  expect(size).toBeLessThan(20_000);
});
