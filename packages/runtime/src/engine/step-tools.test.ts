// @module-tag E-04
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  OutcomeUnknownError,
  RetryError,
  type ArtifactRef,
  type Artifacts,
  type JsonObject,
  type LogLine,
} from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { connect, followLog, workflow, type StepProgress } from "../index.js";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { logOf, runWorkflow } from "@runledger/test-support/run-workflow";
import { Ledger } from "../ledger/ledger.js";
import type { Schema } from "../workflow/schema.js";

const sha256 = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

async function linesOf(log: AsyncIterable<LogLine>): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  for await (const line of log) lines.push(line);
  return lines;
}

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

describe.each(["memory", "postgres"])("on the %s store", (kind) => {
  let ledger: Ledger;
  beforeAll(async () => {
    ledger = await connect(kind === "memory" ? "memory:" : database.url);
  });
  afterAll(() => ledger.close());

  test("C5: what a step writes is recorded with its end, and read by another step and from elsewhere", async () => {
    const large = Buffer.alloc(3_000_000, "0123456789");
    const flow = workflow("files", {}, (w) => {
      const write = w.step("write", async ({ artifact }) => {
        const small = await artifact.write("note", "grüße");
        return { small, large: await artifact.write("dump", large), empty: await artifact.write("empty", "") };
      });
      return w.step("read", { needs: { write } }, async ({ needs, artifact }) => {
        let bytes = 0;
        for await (const chunk of artifact.read(needs.write.large)) bytes += chunk.byteLength;
        const same = sha256(await artifact.read(needs.write.large).bytes());
        const empty = await artifact.read(needs.write.empty).text();
        return { note: await artifact.read(needs.write.small).text(), bytes, same, empty };
      });
    });
    const { data } = await runWorkflow(ledger, flow);
    expect(data("StepCompleted", "read")["output"]).toEqual({
      note: "grüße",
      bytes: large.length,
      same: sha256(large),
      empty: "",
    });
    const { output, artifacts } = data("StepCompleted", "write") as unknown as {
      output: Record<string, ArtifactRef>;
      artifacts: ArtifactRef[];
    };
    expect(artifacts).toEqual([output["small"], output["large"], output["empty"]]);
    expect(output["large"]).toMatchObject({ kind: "dump", sha256: sha256(large), sizeBytes: large.length });
    const snapshot = (await ledger.store.listHeads()).at(-1)!;
    const { steps } = await ledger.store.projectSnapshot(snapshot.runId);
    expect(steps.find(({ stepId }) => stepId === "write")?.artifacts).toEqual(artifacts);
  });

  test("C5: a reference to another tenant's artifact, to nothing or to another home leads nowhere", async () => {
    const writing = workflow("writing", {}, (w) => w.step("write", ({ artifact }) => artifact.write("note", "mine")));
    const theirs = await runWorkflow(ledger, writing);
    const { uri } = theirs.data("StepCompleted", "write")["output"] as unknown as ArtifactRef;
    for (const [wanted, tenantId] of [
      [uri, "other"],
      ["store://art_0", "default"],
      ["s3://bucket/key", "default"],
    ] as const) {
      const reading = workflow("reading", {}, (w) =>
        w.step("read", ({ artifact }) => artifact.read({ uri: wanted }).text()),
      );
      const worker = await ledger.worker({ workflows: [reading] });
      const run = await ledger.start(reading, { tenantId });
      await expect(run.result()).rejects.toMatchObject({ snapshot: { error: { code: "ARTIFACT_NOT_FOUND" } } });
      await worker.stop();
    }
  });

  test("ctx.log: lines are readable while the step runs, with time and fields, also of an attempt that fails", async () => {
    let go: () => void = () => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    const flow = workflow("talking", {}, (w) =>
      w.step("talk", async ({ log }) => {
        log("first", { rows: 3 });
        await gate;
        log("last");
        throw new Error("and then it failed");
      }),
    );
    const worker = await ledger.worker({ workflows: [flow] });
    const run = await ledger.start(flow);
    while ((await logOf(ledger.store, run.id, "talk")).length === 0) await sleep(20);
    expect((await run.snapshot()).status).toBe("RUNNING");
    const [stored] = await ledger.store.artifacts.listArtifacts({ runId: run.id, stepId: "talk" });
    const followed = linesOf(followLog(ledger.store.artifacts, stored!.uri));
    go();
    const lines = await followed;
    expect(lines).toMatchObject([
      { from: "log", text: "first", fields: { rows: 3 } },
      { from: "log", text: "last" },
    ]);
    expect(new Date(lines[0]!.at).toISOString()).toBe(lines[0]!.at);
    await expect(run.result()).rejects.toThrow("and then it failed");
    const failed = (await ledger.store.fetchEvents(run.id)).find(({ eventType }) => eventType === "StepFailed")!;
    expect((failed.eventData as JsonObject)["artifacts"]).toMatchObject([{ uri: stored!.uri, kind: "log" }]);
    await worker.stop();
  });

  test("a step without output lines leaves no artifact", async () => {
    const flow = workflow("silent", {}, (w) => w.step("work", () => 1));
    const { runId, data } = await runWorkflow(ledger, flow);
    expect(await ledger.store.artifacts.listArtifacts({ runId })).toEqual([]);
    expect(data("StepCompleted", "work")).toEqual({ output: 1 });
  });
});

describe("in memory", () => {
  let ledger: Ledger;
  beforeAll(async () => {
    ledger = await connect("memory:");
  });
  afterEach(async () => {
    await ledger.close();
    ledger = await connect("memory:");
  });
  afterAll(() => ledger.close());

  test("ctx.log: nothing that a step says makes it fail, and a flood is cut off with a count", async () => {
    const flow = workflow("flood", {}, (w) =>
      w.step("flood", ({ log }) => {
        const circle: Record<string, never> = {};
        circle["self"] = circle as never;
        log("circle", circle);
        for (let i = 0; i < 20; i++) log("x".repeat(1024 * 1024));
      }),
    );
    const { runId } = await runWorkflow(ledger, flow);
    const lines = await logOf(ledger.store, runId, "flood");
    expect(lines[0]).toMatchObject({
      text: "circle",
      fields: { unprintable: expect.stringContaining("circular") as string },
    });
    expect(lines.at(-1)?.text).toBe("5 more lines were left out.");
  });

  test("ctx.progress reports to the worker's onProgress", async () => {
    const told: StepProgress[] = [];
    const flow = workflow("progress", {}, (w) =>
      w.step("work", ({ progress }) => {
        progress(1, 3);
        progress(2);
      }),
    );
    const { runId } = await runWorkflow(ledger, flow, { onProgress: (progress) => void told.push(progress) });
    const about = { runId, stepId: "work", attempt: 1 };
    expect(told).toEqual([
      { ...about, done: 1, total: 3 },
      { ...about, done: 2 },
    ]);
  });

  test("lines that a step prints with console are in its log, and are still printed", { tags: ["R-43"] }, async () => {
    const printed: unknown[][] = [];
    const original = console.log;
    console.log = (...args: unknown[]) => void printed.push(args);
    try {
      const flow = workflow("prints", {}, (w) => {
        const one = w.step("one", async () => {
          console.log("total %d", 3, { rows: [1] });
          await sleep(1);
          console.warn("late");
        });
        w.step("other", { after: [one] }, () => console.log("other"));
      });
      const { runId } = await runWorkflow(ledger, flow);
      console.log("not in a step");
      expect(await logOf(ledger.store, runId, "one")).toMatchObject([
        { from: "stdout", text: "total 3 { rows: [ 1 ] }" },
        { from: "stderr", text: "late" },
      ]);
      expect(await logOf(ledger.store, runId, "other")).toMatchObject([{ from: "stdout", text: "other" }]);
    } finally {
      console.log = original;
    }
    expect(printed).toEqual([["total %d", 3, { rows: [1] }], ["other"], ["not in a step"]]);
  });

  test("a step whose patch does not fit into the log fails, and the run continues", async () => {
    const schema: Schema<{ text: string }> = {
      "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: value as { text: string } }) },
    };
    const flow = workflow("too-much", { state: { schema, initial: { text: "" } } }, (w) => {
      const large = w.step("large", { continueOnFailure: true }, ({ patch }) => {
        patch({ text: "x".repeat(300_000) });
        return "large";
      });
      return w.step("after", { needs: { large } }, ({ needs }) => needs.large ?? "nothing");
    });
    const { data } = await runWorkflow(ledger, flow);
    expect(data("StepFailed", "large")["error"]).toMatchObject({ code: "PAYLOAD_TOO_LARGE", retryable: false });
    expect(data("StepCompleted", "after")["output"]).toBe("nothing");
  });

  test("ctx.patch: several patches of one step are one", { tags: ["E-13"] }, async () => {
    type State = { a: { x: number; y?: number }; b?: string; c: number[] };
    const schema: Schema<State> = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
    const initial: State = { a: { x: 0 }, b: "old", c: [1] };
    const flow = workflow("patching", { state: { schema, initial } }, (w) => {
      const twice = w.step("twice", ({ patch }) => {
        patch({ a: { x: 1 }, b: "new" });
        patch({ a: { y: 2 }, b: null, c: [2, 3] });
      });
      return w.step("read", { after: [twice] }, ({ state }) => state);
    });
    const { data } = await runWorkflow(ledger, flow);
    expect(data("StepCompleted", "twice")["patch"]).toEqual({ a: { x: 1, y: 2 }, b: null, c: [2, 3] });
    expect(data("StepCompleted", "read")["output"]).toEqual({ a: { x: 1, y: 2 }, c: [2, 3] });
  });

  test("P7: a store that is away, or whose answers are lost, costs neither a line nor the step", async () => {
    const store = unreliable(new MemoryStore());
    const flow = workflow("patience", {}, (w) => {
      const first = w.step("first", () => "first");
      return w.step("talk", { needs: { first } }, async ({ log, needs, artifact }) => {
        for (let i = 0; i < 100; i++) log(`${i} ${"x".repeat(1000)}`);
        const ref = await artifact.write("file", "y".repeat(3_000_000));
        return { first: needs.first, read: (await artifact.read(ref).text()).length };
      });
    });
    const { runId, data, events } = await runWorkflow(new Ledger(store, async () => {}), flow);
    expect(events.some(({ eventType }) => eventType === "StepFailed")).toBe(false);
    expect(data("StepCompleted", "talk")["output"]).toEqual({ first: "first", read: 3_000_000 });
    const lines = await logOf(store, runId, "talk");
    expect(lines.map(({ text }) => Number.parseInt(text, 10))).toEqual(Array.from({ length: 100 }, (_, i) => i));
    expect(store.troubles).toBeGreaterThan(5);
  });
});

/** Every other read fails; every other chunk is stored, but its answer is lost. */
function unreliable(store: MemoryStore): MemoryStore & { readonly troubles: number } {
  let calls = 0;
  let troubles = 0;
  const fails = (): boolean => ++calls % 2 === 1 && ++troubles > 0;
  const [forTenant, fetchByKeys] = [store.forTenant.bind(store), store.fetchByKeys.bind(store)];
  const artifactsOf = (home: Artifacts): Artifacts => ({
    ...home,
    writeChunk: async (params) => {
      await home.writeChunk(params);
      if (fails()) throw new OutcomeUnknownError();
    },
    readChunks: async (params) => {
      if (fails()) throw new RetryError("STORE_UNAVAILABLE", "away");
      return home.readChunks(params);
    },
  });
  return Object.defineProperty(
    Object.assign(store, {
      forTenant: (tenantId: string) => {
        const scoped = forTenant(tenantId);
        return Object.assign(scoped, { artifacts: artifactsOf(scoped.artifacts!) });
      },
      fetchByKeys: async (runId: string, keys: readonly string[]) => {
        if (fails()) throw new RetryError("STORE_UNAVAILABLE", "away");
        return fetchByKeys(runId, keys);
      },
    }),
    "troubles",
    { get: () => troubles },
  ) as MemoryStore & { readonly troubles: number };
}
