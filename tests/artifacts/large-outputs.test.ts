// @module-tag D-02
/** Outputs that no event can hold: readers get them as any other output (P9). */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { newEvent, type JsonObject } from "@runledger/contracts";
import { readRun } from "@runledger/runtime/runs/read-run";
import { query } from "@runledger/test-support/databases";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runWorkflow } from "@runledger/test-support/run-workflow";
import { connect, workflow, type Ledger } from "runledger";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";

const ROWS = 20_000;
const rowsOf = (of: string) => Array.from({ length: ROWS }, (_, id) => ({ id, of }));

const shop = workflow("shop", { version: "1" }, (w) => {
  const orders = w.step("orders", () => rowsOf("zebra-order"));
  const tried = w.step("tried", { settle: true }, () => rowsOf("zebra-tried"));
  const passes = w.repeat(
    "passes",
    { max: 3 },
    (inner) => inner.step("pass", ({ iteration }) => rowsOf(`zebra-pass-${iteration}`)),
    ({ output }) => output.at(-1)?.of === "zebra-pass-1",
  );
  return w.step("report", { needs: { orders, tried, passes } }, ({ needs }) => {
    if (!needs.tried.ok) throw new Error("not tried");
    return { orders: needs.orders, tried: needs.tried.value.length, passes: needs.passes.length };
  });
});

const undone: unknown[] = [];
const refund = workflow("refund", { version: "1", compensateOn: ["failure"] }, (w) => {
  const compensate = ({ output }: { readonly output: unknown }): void => void undone.push(output);
  const paid = w.step("paid", {}, () => rowsOf("paid"), { compensate });
  w.step("ship", { after: [paid] }, (): string => {
    throw new Error("no");
  });
});

async function opened(place: string): Promise<{ ledger: Ledger; url: string }> {
  const database = await freshDatabase();
  const folder = mkdtempSync(join(tmpdir(), "runledger-artifacts-"));
  const artifacts = place === "store:" ? place : pathToFileURL(folder).href;
  const ledger = await connect(database.url, { artifacts });
  onTestFinished(async () => {
    await ledger.close();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });
  return { ledger, url: database.url };
}

describe.each(["store:", "file:"])("with artifacts in %s", (place) => {
  test("needs, settle, repeat and the result read an output of 600 KB, and no event has it", async () => {
    const { ledger, url } = await opened(place);
    await ledger.worker({ workflows: [shop] });
    const run = await ledger.start(shop);
    expect(await run.result()).toEqual({ orders: rowsOf("zebra-order"), tried: ROWS, passes: ROWS });
    const rows = (await query(url, "SELECT to_jsonb(e)::text AS row FROM runledger.run_events e")) as { row: string }[];
    expect(rows.filter(({ row }) => row.includes("zebra"))).toEqual([]);
    expect(rows.filter(({ row }) => row.includes('"outputArtifact"')).length).toBe(5);
  });

  test("a compensation reads the output of its step", async () => {
    const { ledger } = await opened(place);
    await ledger.worker({ workflows: [refund] });
    const run = await ledger.start(refund);
    await expect(run.result()).rejects.toMatchObject({ code: "RUN_FAILED" });
    expect(undone.pop()).toEqual(rowsOf("paid"));
  });

  test("a retried run, a fork and a fork of the fork read the outputs that they keep", async () => {
    const { ledger } = await opened(place);
    let isRepaired = false;
    const flow = workflow("flow", { version: "1" }, (w) => {
      const rows = w.step("rows", () => rowsOf("zebra"));
      return w.step("count", { needs: { rows } }, ({ needs }) => {
        if (!isRepaired) throw new Error("not yet");
        return needs.rows.length;
      });
    });
    await ledger.worker({ workflows: [flow] });
    const run = await ledger.start(flow);
    await expect(run.result()).rejects.toMatchObject({ code: "RUN_FAILED" });
    isRepaired = true;
    await run.retry();
    expect(await run.result()).toBe(ROWS);
    const fork = await ledger.fork(run, { from: "count" });
    expect(await fork.result()).toBe(ROWS);
    const second = await ledger.fork(fork, { from: "count" });
    expect(await second.result()).toBe(ROWS);
    expect(await ledger.store.artifacts.listArtifacts({ runId: second.id })).toEqual([]);
  });
});

const textState = z.object({ text: z.string() });

test("an output that is not JSON, or that is still too large without its value, fails as before", async () => {
  await using ledger = await connect("memory:");
  const failing = workflow("failing", { version: "1", state: { schema: textState, initial: { text: "" } } }, (w) => {
    const options = { continueOnFailure: true, retry: { attempts: 1 } } as const;
    w.step("function", options, () => ({ text: "x".repeat(300_000), call: () => 1 }) as never);
    w.step("patched", options, ({ patch }) => patch({ text: "x".repeat(300_000) }));
  });
  const { data } = await runWorkflow(ledger, failing);
  expect(data("StepFailed", "function")["error"]).toMatchObject({ code: "PAYLOAD_NOT_JSON" });
  expect(data("StepFailed", "patched")["error"]).toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
});

test("an event cannot name the artifact of another tenant as its output", async () => {
  await using ledger = await connect("memory:");
  const secret = workflow("secret", { version: "1" }, (w) => w.step("rows", () => rowsOf("theirs")));
  const { data } = await runWorkflow(ledger, secret);
  const { outputArtifact, artifacts } = data("StepCompleted", "rows");
  const runId = "run_forged";
  const forged = ledger.store.forTenant("other");
  const of = { runId, planVersion: "1" };
  await forged.appendEvent(newEvent({ ...of, eventType: "RunStarted" }));
  const eventData = { outputArtifact, artifacts } as JsonObject;
  await forged.appendEvent(newEvent({ ...of, eventType: "StepCompleted", stepId: "rows", eventData }));
  await forged.appendEvent(newEvent({ ...of, eventType: "RunCompleted", eventData: { outputFrom: "rows" } }));
  const [head] = await forged.fetchHeads([runId]);
  expect(await readRun(ledger.store, head!)).not.toHaveProperty("output");
});
