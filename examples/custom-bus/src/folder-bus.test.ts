// @module-tag B-02
import { mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newEvent } from "@runledger/contracts";
import { until } from "@runledger/test-support/until";
import { connect, type CloudEvent } from "runledger";
import { busConformance } from "runledger/testing";
import { describe, expect, test } from "vitest";
import { folderBus } from "./folder-bus.js";

async function received(folder: string): Promise<CloudEvent[]> {
  const files = (await readdir(folder)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  const lines = texts.join("").split("\n").slice(0, -1); // the last one may be half written
  return lines.map((line) => JSON.parse(line) as CloudEvent);
}

const freshFolder = (): Promise<string> => mkdtemp(join(tmpdir(), "runledger-folder-bus-"));

busConformance("the custom bus", {
  runner: { describe, test },
  open: async () => {
    const folder = await freshFolder();
    return {
      factory: folderBus(folder),
      settings: { type: "folder" },
      received: () => received(folder),
      takeDown: () => rename(folder, `${folder}-away`),
      bringUp: () => rename(`${folder}-away`, folder),
      close: () => rm(folder, { recursive: true, force: true }),
    };
  },
});

test("the outbox delivers the events of a run to the custom bus", async () => {
  const folder = await freshFolder();
  await using ledger = await connect("memory:");
  await using _ = ledger.outbox({ buses: { folder: folderBus(folder) }, pollMs: 10 });
  await ledger.subscriptions.put({ id: "files", bus: { type: "folder" }, from: "beginning" });
  await ledger.store.appendEvents([
    newEvent({ runId: "run", eventType: "StepStarted", stepId: "a", planVersion: "1" }),
  ]);
  await until(async () => (await received(folder)).length === 1);
  await rm(folder, { recursive: true, force: true });
});

test("the example has fewer than 60 lines", async () => {
  const text = await readFile(new URL("folder-bus.ts", import.meta.url), "utf8");
  expect(text.split("\n").length).toBeLessThan(60);
});
