// @module-tag R-01
/** Kills PostgreSQL at every read and write that a step's code triggers. No step fails, and none uses up an attempt (D5). */
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StopError, type FullStateStore, type ISecretsProvider } from "@runledger/contracts";
import { startEmbeddedPostgres, type EmbeddedPostgres } from "@runledger/embedded";
import { MemoryStore } from "@runledger/store-memory";
import { PostgresStore } from "@runledger/store-postgres";
import { until } from "@runledger/test-support/until";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { Ledger } from "../ledger/ledger.js";
import { interceptStore } from "../testing/intercept-store.js";
import { workflow } from "../workflow/workflow.js";
import type { Fault } from "./worker.js";
import type { AnyWorkflow, Workflow } from "../workflow/types.js";

let folder: string;
let postgres: EmbeddedPostgres;
let store: PostgresStore;
let ledger: Ledger;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "runledger-outage-"));
  await chmod(folder, 0o711); // as root the server runs as another user, who must get through here
  postgres = await startEmbeddedPostgres({ dataDir: join(folder, "data"), settings: { fsync: "off" } });
  store = await PostgresStore.open({ url: postgres.url });
  ledger = new Ledger(interceptStore(store, around), () => store.close());
}, 120_000);

afterAll(async () => {
  await ledger.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 20 });
});

/** The call at which the server is killed next. */
let armed: string | null = null;
/** The errors of the calls at which the server was killed. */
const failures: unknown[] = [];

/** Kills the server before the armed call, and makes the call fail. */
async function around(call: { readonly name: string; readonly proceed: () => Promise<unknown> }): Promise<unknown> {
  if (call.name !== armed) return call.proceed();
  armed = null;
  for (;;) {
    await killServer();
    await call.proceed().catch((error: unknown) => {
      failures.push(error);
      throw error;
    });
  }
}

async function killServer(): Promise<void> {
  try {
    const [pid] = (await readFile(join(folder, "data", "pgdata", "postmaster.pid"), "utf8")).split("\n");
    process.kill(Number(pid), "SIGKILL");
  } catch {
    // it is down already
  }
}

const arm = (name: string): void => void (armed = name);

/** Large enough that the worker does not keep the outputs of several items in memory. */
const large = (name: string): string => name.padEnd(40_000, ".");
const ITEMS = ["a", "b", "c"];
const secrets: ISecretsProvider = {
  resolve: async () => {
    const [first] = await ledger.store.artifacts.listArtifacts({ runId: "run-of-secrets" });
    return { key: `secret-value-${first?.uri ?? "none"}` };
  },
};

const child = workflow("child", { version: "1" }, (w) => w.step("answer", () => large("of the child")));

/** A workflow per call. Its output tells that the read has returned what was written. */
const cases: Readonly<Record<string, AnyWorkflow>> = {
  "the items of a forEach": workflow("items", { version: "1" }, (w) => {
    const each = w.forEach("each", { items: () => ITEMS }, (b) => b.step("one", ({ item }) => large(item)));
    return w.step("read", { needs: { each } }, async ({ needs }) => {
      arm("fetchByKeys");
      return (await needs.each.toArray()).map((text) => text[0]).join("");
    });
  }),
  "the items of a forEach in the closure of another": workflow("closure", { version: "1" }, (w) => {
    const each = w.forEach("each", { items: () => ITEMS }, (b) => b.step("one", ({ item }) => large(item)));
    const again = w.forEach(
      "again",
      {
        needs: { each },
        items: async ({ needs }) => {
          arm("fetchByKeys");
          return (await needs.each.toArray()).map((text) => text[0]!);
        },
      },
      (b) => b.step("one", ({ item }) => item),
    );
    return w.step("read", { needs: { again } }, async ({ needs }) => (await needs.again.toArray()).join(""));
  }),
  "the output of a pass in the condition of a repeat": workflow("until", { version: "1" }, (w) => {
    const each = w.forEach("each", { items: () => ITEMS }, (b) => b.step("one", ({ item }) => large(item)));
    const polled = w.repeat(
      "poll",
      { max: 3, needs: { each } },
      (b) => b.step("check", () => "abc"),
      async ({ needs, output }) => {
        arm("fetchByKeys");
        return (await needs.each.toArray()).length === 3 && output === "abc";
      },
    );
    return w.step("read", { needs: { polled } }, ({ needs }) => needs.polled);
  }),
  "an artifact that a step reads": workflow("reading", { version: "1" }, (w) => {
    const write = w.step("write", ({ artifact }) => artifact.write("note", "abc"));
    return w.step("read", { needs: { write } }, ({ needs, artifact }) => {
      arm("artifacts.readChunks");
      return artifact.read(needs.write).text();
    });
  }),
  "an artifact that a step writes": workflow("writing", { version: "1" }, (w) => {
    const write = w.step("write", ({ artifact }) => {
      arm("artifacts.writeChunk");
      return artifact.write("note", "abc");
    });
    return w.step("read", { needs: { write } }, ({ needs, artifact }) => artifact.read(needs.write).text());
  }),
  "the log of a step": workflow("logging", { version: "1" }, (w) =>
    w.step("log", ({ log }) => {
      arm("artifacts.writeChunk");
      log("a line");
      return "abc";
    }),
  ),
  "the items that a forEach writes": workflow("item-list", { version: "1" }, (w) => {
    const items = (): string[] => {
      arm("artifacts.writeChunk");
      return ITEMS.map(large);
    };
    const each = w.forEach("each", { items }, (b) => b.step("one", ({ item }) => item[0]!));
    return w.step("read", { needs: { each } }, async ({ needs }) => (await needs.each.toArray()).join(""));
  }),
  "the item of a step": workflow("item", { version: "1" }, (w) => {
    const gate = w.step("gate", () => arm("artifacts.readChunks"));
    const each = w.forEach("each", { after: [gate], items: () => ITEMS.map(large) }, (b) =>
      b.step("one", ({ item }) => item[0]!),
    );
    return w.step("read", { needs: { each } }, async ({ needs }) => (await needs.each.toArray()).join(""));
  }),
  "a secret": workflow("secret", { version: "1" }, (w) =>
    w.step("read", async ({ secrets: own }) => {
      arm("artifacts.listArtifacts");
      return (await own.get("key")) === "secret-value-none" ? "abc" : "another secret";
    }),
  ),
  "the state and the log of a resumed run": workflow(
    "state",
    { version: "1", state: { schema: z.object({ seen: z.string() }), initial: { seen: "" } } },
    (w) => {
      const write = w.step("write", ({ patch }) => {
        patch({ seen: "abc" });
        arm("streamEvents");
      });
      const nap = w.sleep("nap", { after: [write], for: "1ms" });
      return w.step("read", { after: [nap] }, ({ state }) => state.seen);
    },
  ),
  "the checkpoint of a resumed run": workflow("checkpoint", { version: "1" }, (w) => {
    const before = w.step("before", () => arm("checkpoints.loadCheckpoint"));
    const nap = w.sleep("nap", { after: [before], for: "1ms" });
    return w.step("read", { after: [nap] }, () => "abc");
  }),
  "the result of a child": workflow("parent", { version: "1" }, (w) => {
    const before = w.step("before", () => arm("streamEvents"));
    const answer = w.child("answer", child, { after: [before] });
    return w.step("read", { needs: { answer } }, ({ needs }) => (needs.answer === large("of the child") ? "abc" : ""));
  }),
};

const attemptsOf = async (runId: string): Promise<unknown[]> =>
  (await store.fetchEvents(runId)).filter(
    ({ eventType, logicalAttemptId, stepId }) =>
      eventType === "StepFailed" || (stepId !== undefined && logicalAttemptId !== "1"),
  );

test.each(Object.entries(cases))("an outage at %s fails no step", { timeout: 120_000 }, async (_, flow) => {
  const before = failures.length;
  const faults: Fault[] = [];
  const onFault = (fault: Fault): void => void faults.push(fault);
  const worker = await ledger.worker({ workflows: [flow, child], leaseMs: 60_000, secrets, onFault });
  onTestFinished(() => worker.stop());
  const run = await ledger.start(flow as Workflow<undefined, string, unknown>);
  expect(await run.result()).toBe("abc");
  expect(failures.slice(before)).toMatchObject([{ family: "retry" }]);
  expect(await attemptsOf(run.id)).toEqual([]);
  expect(faults).toEqual([]);
});

/** `null` while the server is down. */
const statusOf = async (runId: string): Promise<string | null> =>
  (await store.projectSnapshot(runId).catch(() => null))?.status ?? null;

test("an outage at a compensation fails neither its scope nor its reads", { timeout: 120_000 }, async () => {
  const read: string[] = [];
  const flow = workflow("compensating", { version: "1" }, (w) => {
    const each = w.forEach("each", { items: () => ITEMS }, (b) => b.step("one", ({ item }) => large(item)));
    const undo = async ({
      needs,
      output,
    }: {
      needs: { each: AsyncIterable<string> };
      output: string;
    }): Promise<void> => {
      arm("fetchByKeys");
      for await (const text of needs.each) read.push(text[0]!);
      read.push(output);
    };
    const made = w.step("made", { needs: { each } }, () => "made", { compensate: undo });
    return w.waitForSignal("never", { after: [made] });
  });
  const worker = await ledger.worker({ workflows: [flow], leaseMs: 60_000 });
  onTestFinished(() => worker.stop());
  const run = await ledger.start(flow);
  await until(async () => (await store.projectSnapshot(run.id)).steps.some(({ stepId }) => stepId === "never"));
  const before = failures.length;
  await run.cancel();
  await until(async () => (await statusOf(run.id)) === "CANCELLED");
  expect(read).toEqual(["a", "b", "c", "made"]);
  expect(failures.slice(before)).toMatchObject([{ family: "retry" }]);
  const events = await store.fetchEvents(run.id);
  expect(events.filter(({ stepId }) => stepId === "compensate/made").map(({ eventType }) => eventType)).toEqual([
    "StepStarted",
    "StepCompleted",
  ]);
});

test("a fault of the store that a step wraps is the worker's fault, not the step's", async () => {
  const memory: FullStateStore = new MemoryStore();
  const broken = interceptStore(memory, ({ name, proceed }) => {
    if (name === "artifacts.readChunks") throw new StopError("STORE_FAULT", "The disk is broken.");
    return proceed();
  });
  const own = new Ledger(broken, async () => {});
  const flow = workflow("wrapping", { version: "1" }, (w) => {
    const write = w.step("write", ({ artifact }) => artifact.write("note", "abc"));
    return w.step("read", { needs: { write } }, async ({ needs, artifact }) => {
      await artifact
        .read(needs.write)
        .text()
        .catch(() => {
          throw new Error("I cannot read.");
        });
    });
  });
  const faults: Fault[] = [];
  const worker = await own.worker({ workflows: [flow], onFault: (fault) => void faults.push(fault) });
  onTestFinished(() => worker.stop());
  const run = await own.start(flow);
  await until(() => faults.length > 0);
  expect(faults).toMatchObject([{ runId: run.id, error: { code: "STORE_FAULT" } }]);
  const events = await memory.fetchEvents(run.id);
  expect(events.map(({ eventType }) => eventType)).not.toContain("StepFailed");
});
