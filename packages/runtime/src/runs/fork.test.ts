// @module-tag E-17
/** D7: forks, on both stores. */
import type { FullStateStore, JsonObject } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { PostgresStore } from "@runledger/store-postgres";
import { workflow, type Items, type Ledger } from "../index.js";
import { z } from "zod";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import type { ForkOptions } from "./fork-plan.js";
import { EnvSecrets } from "../secrets/env-secrets.js";
import { Ledger as OpenLedger } from "../ledger/ledger.js";

const homes: Readonly<Record<string, () => Promise<FullStateStore>>> = {
  memory: async () => new MemoryStore(),
  postgres: async () => PostgresStore.open({ url: (await freshDatabase()).url }),
};

const vault = new EnvSecrets({ RUNLEDGER_SECRET_TOKEN: "a long secret" });

/** The executed steps, in order. */
let ran: string[] = [];
let broken = false;
const note = <T>(name: string, value: T): T => (ran.push(name), value);

const state = {
  schema: z.object({ extracted: z.boolean(), loaded: z.number() }),
  initial: { extracted: false, loaded: 0 },
};

const nightly = (version: string, tell = "tell") =>
  workflow("nightly", { version, state, input: z.object({ day: z.number() }) }, (w) => {
    const extract = w.step("extract", ({ input, patch }) => {
      patch({ extracted: true });
      return note("extract", { day: input.day, rows: [1, 2, 3] });
    });
    const load = w.step("load", { needs: { extract } }, ({ needs, patch, state: before }) => {
      patch({ loaded: needs.extract.day });
      if (broken) throw Object.assign(new Error("not yet"), { retryable: false });
      return note("load", { saved: needs.extract.rows.length, before: { ...before } });
    });
    w.step("beside", { after: [extract] }, () => note("beside", 1));
    return w.step("publish", { needs: { load, extract } }, ({ needs }) =>
      note("publish", `${tell} ${needs.extract.day}: ${needs.load.saved}`),
    );
  });

describe.each(Object.keys(homes))("a fork in the %s store", (name) => {
  let store: FullStateStore;
  let ledger: Ledger;
  beforeAll(async () => {
    store = await homes[name]!();
    ledger = new OpenLedger(store, async () => {});
    await ledger.worker({
      workflows: [nightly("1"), nightly("2", "said"), wide, kid, files, signals, undoable],
      pollMs: 20,
      secrets: vault,
    });
  });
  beforeEach(() => {
    ran = [];
    broken = false;
  });
  afterAll(() => ledger.close());

  const log = async (run: { readonly id: string }) => {
    const events = await store.fetchEvents(run.id);
    return events.map(({ eventType, stepId, eventData }) =>
      [eventType, stepId, (eventData as JsonObject)["kept"] === undefined ? undefined : "kept"]
        .filter(Boolean)
        .join(" "),
    );
  };
  const first = async () => {
    const run = await ledger.start(nightly("1"), { input: { day: 7 } });
    await run.result();
    ran = [];
    return run;
  };

  test("keeps earlier steps, runs the step and its dependents, and its log is complete", async () => {
    const origin = await first();
    const fork = await ledger.fork(origin, { from: "load" });
    expect(await fork.result()).toBe("tell 7: 3");
    expect(ran).toEqual(["load", "publish"]);
    const events = await log(fork);
    expect(events[0]).toBe("RunQueued");
    expect(events.slice(1, 3).sort()).toEqual(["StepCompleted beside kept", "StepCompleted extract kept"]);
    expect(events.slice(3)).toEqual([
      "RunStarted",
      "StepStarted load",
      "StepCompleted load",
      "StepStarted publish",
      "StepCompleted publish",
      "RunCompleted",
    ]);
    const seq = (await store.projectSnapshot(origin.id)).lastEventSeq;
    const snapshot = await store.projectSnapshot(fork.id);
    expect(snapshot).toMatchObject({ fork: { runId: origin.id, seq, from: "load" }, planVersion: "1" });
    const kept = (await store.fetchEvents(origin.id)).find(
      ({ eventType, stepId }) => eventType === "StepCompleted" && stepId === "extract",
    );
    expect(snapshot.steps.find(({ stepId }) => stepId === "extract")?.kept).toBe(kept!.runSeq);
  });

  test("D2: the state comes from the kept patches, in order", async () => {
    const origin = await first();
    const fork = await ledger.fork(origin, { from: "load", input: { day: 8 } });
    await fork.result();
    const completed = (await store.fetchEvents(fork.id)).findLast(({ stepId }) => stepId === "load")!;
    expect(completed.eventData).toMatchObject({ output: { before: { extracted: true, loaded: 0 } } });
    expect((await fork.snapshot()).state).toEqual({ extracted: true, loaded: 7 });
  });

  test("takes another version, by value or name, and another input", async () => {
    const origin = await first();
    expect(await (await ledger.fork(origin, { from: "publish", version: nightly("2", "said") })).result()).toBe(
      "said 7: 3",
    );
    expect(await (await ledger.fork(origin.id, { from: "publish", version: "2" })).result()).toBe("said 7: 3");
    const other = await ledger.fork(origin, { from: "extract", version: "2", input: { day: 9 } });
    expect(await other.result()).toBe("said 9: 3");
    expect((await other.snapshot()).planVersion).toBe("2");
    expect((await origin.snapshot()).planVersion).toBe("1"); // a run never changes its version
  });

  test("a fork of a fork keeps the steps that the first one kept and ran", async () => {
    const origin = await first();
    const one = await ledger.fork(origin, { from: "load" });
    await one.result();
    ran = [];
    const two = await ledger.fork(one, { from: "publish" });
    expect(await two.result()).toBe("tell 7: 3");
    expect(ran).toEqual(["publish"]);
    expect(await store.projectSnapshot(two.id)).toMatchObject({ fork: { runId: one.id } });
  });

  test("forks a failed run and a running run without affecting them", async () => {
    broken = true;
    const failed = await ledger.start(nightly("1"), { input: { day: 1 } });
    await expect(failed.result()).rejects.toMatchObject({ code: "RUN_FAILED" });
    broken = false;
    ran = [];
    const mended = await ledger.fork(failed, { from: "publish" });
    expect(await mended.result()).toBe("tell 1: 3"); // load had failed, so it runs too
    expect(ran).toEqual(["load", "publish"]);
    const before = await store.fetchEvents(failed.id);

    const waiting = await ledger.start(signals);
    await expect.poll(async () => (await log(waiting)).at(-1)).toBe("StepStarted second");
    await ledger.signal(waiting.id, "first", { by: "you" });
    await expect.poll(() => log(waiting)).toContain("StepCompleted first");
    const fork = await ledger.fork(waiting, { from: "end" });
    await ledger.signal(fork.id, "second", 2);
    expect(await fork.result()).toEqual([{ by: "you" }, 2]); // the signal of the origin's wait is kept
    await ledger.signal(waiting.id, "second", 3);
    expect(await waiting.result()).toEqual([{ by: "you" }, 3]);
    expect(await store.fetchEvents(failed.id)).toEqual(before);
  });

  test("D1: containers continue with recorded results, and a single forEach item can run again", async () => {
    const origin = await ledger.start(wide, { input: { items: [1, 2, 3] } });
    expect(await origin.result()).toEqual({ items: [10, 20, 30], branch: "big", polled: 2, child: 5 });
    ran = [];
    const end = await ledger.fork(origin, { from: "end", input: { items: [] } });
    expect(await end.result()).toEqual({ items: [10, 20, 30], branch: "big", polled: 2, child: 5 });
    expect(ran).toEqual([]);
    const item = await ledger.fork(origin, { from: "each/1/times" });
    expect(await item.result()).toMatchObject({ items: [10, 20, 30] });
    expect(ran).toEqual(["times 2", "yes", "poll 0", "poll 1"]); // readers of the items run again
    ran = [];
    const polled = await ledger.fork(origin, { from: "poll/1/look" });
    expect(await polled.result()).toMatchObject({ polled: 2 });
    expect(ran).toEqual(["poll 1"]);
    const pass = await log(polled);
    expect(pass).toContain("StepCompleted poll/0 kept");
  });

  test("D8: a fork compensates its own steps and no kept step", async () => {
    const origin = await ledger.start(undoable);
    await expect.poll(() => log(origin)).toContain("StepStarted wait");
    const fork = await ledger.fork(origin, { from: "two" });
    await expect.poll(() => log(fork)).toContain("StepStarted wait");
    ran = [];
    await fork.act("CANCEL");
    await expect.poll(async () => (await fork.snapshot()).status).toBe("CANCELLED");
    expect(ran).toEqual(["undo two"]);
    ran = [];
    await origin.act("CANCEL");
    await expect.poll(async () => (await origin.snapshot()).status).toBe("CANCELLED");
    expect(ran).toEqual(["undo two", "undo one"]);
    ran = [];
    const late = await ledger.fork(origin, { from: "wait" });
    await ledger.signal(late.id, "go", 1);
    await late.result();
    expect(ran).toEqual(["one", "two"]); // compensated steps cannot be kept
  });

  test("an archived run can be forked; tenant, labels and priority are copied", async () => {
    const options = { tenantId: "acme", labels: { team: "a" }, priority: 3 };
    const origin = await ledger.start(nightly("1"), { input: { day: 4 }, ...options });
    await origin.result();
    expect(await store.archive.archiveRun(origin.id)).toMatchObject({ archived: true });
    const fork = await ledger.fork(origin, { from: "publish" });
    expect(await fork.result()).toBe("tell 4: 3");
    expect(await fork.snapshot()).toMatchObject(options);
    expect(await store.forTenant("other").fetchEvents(fork.id)).toEqual([]);
  });

  test("C5, S1: artifacts of kept steps stay readable, and redacted values stay redacted", async () => {
    const origin = await ledger.start(files);
    expect(await origin.result()).toBe("10000 items, the last is 9999, told [secret TOKEN]");
    ran = [];
    const fork = await ledger.fork(origin, { from: "read" });
    expect(await fork.result()).toBe("10000 items, the last is 9999, told [secret TOKEN]");
    expect(ran).toEqual([]);
    const kept = (await store.fetchEvents(fork.id)).find(({ stepId }) => stepId === "tell");
    expect(kept!.eventData).toMatchObject({ output: "[secret TOKEN]", redacted: true });
    expect(JSON.stringify(await store.fetchEvents(fork.id, { limit: 100 }))).not.toContain("a long secret");
  });

  test(
    "Q2: a fork keeps the concurrency key, so it does not run beside another run with the key",
    { tags: ["R-07"] },
    async () => {
      const concurrencyKey = `invoices-${name}`;
      const origin = await ledger.start(nightly("1"), { input: { day: 4 }, concurrencyKey });
      await origin.result();
      const holder = await ledger.start(signals, { concurrencyKey });
      await expect.poll(async () => (await holder.snapshot())?.status).toBe("RUNNING");
      const fork = await ledger.fork(origin, { from: "publish" });
      const [entry] = (await ledger.queue.list()).filter(({ runId }) => runId === fork.id);
      expect(entry).toMatchObject({ concurrencyKey, startedAt: null });
      expect(await fork.snapshot()).toMatchObject({ concurrencyKey, status: "PENDING" });
      await holder.cancel();
      expect(await fork.result()).toBe("tell 4: 3");
    },
  );

  test("Q1: concurrent equal requests make one fork; another step or input is refused", async () => {
    const origin = await first();
    const wanted = { from: "load", requestId: `again-${name}` };
    const forks = await Promise.all(Array.from({ length: 5 }, () => ledger.fork(origin, wanted)));
    expect(new Set(forks.map(({ id }) => id)).size).toBe(1);
    await forks[0]!.result();
    expect((await ledger.fork(origin, wanted)).id).toBe(forks[0]!.id);
    const changed = { code: "REQUEST_CHANGED" };
    await expect(ledger.fork(origin, { ...wanted, from: "extract" })).rejects.toMatchObject(changed);
    await expect(ledger.fork(origin, { ...wanted, input: 1 })).rejects.toMatchObject(changed);
    await expect(ledger.start(nightly("1"), { input: { day: 7 }, requestId: wanted.requestId })).rejects.toMatchObject(
      changed,
    );
  });

  test("an invalid fork is refused with field and fix, and nothing starts", async () => {
    const origin = await first();
    const heads = await store.listHeads();
    await expect(ledger.fork("run_nope", { from: "load" })).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
    const refusals: readonly [ForkOptions, string, string, string][] = [
      [{ from: "nope" }, "FORK_INVALID", "from", "extract, load, beside, publish"],
      [{ from: "load/3/x" }, "FORK_INVALID", "from", "load/3/x is not a step of nightly 1"],
      [{ from: "load", version: "9" }, "WORKFLOW_NOT_FOUND", "version", "published are: 1, 2."],
      [{ from: "load", version: wide }, "FORK_INVALID", "version", "another version of it"],
      [{ from: "publish", version: fewer }, "FORK_INVALID", "version", "another kind: load, beside."],
      [{ from: "publish", version: strict }, "SCHEMA_MISMATCH", "input.day", "expected string"],
    ];
    for (const [options, code, field, message] of refusals) {
      const refused = ledger.fork(origin, options);
      await expect(refused).rejects.toMatchObject({ code, field });
      await expect(refused).rejects.toThrow(message);
    }
    expect(await store.listHeads()).toEqual(heads);
  });

  test("a step in a container that runs again is refused, and the error names the container", async () => {
    const origin = await ledger.start(wide, { input: { items: [1, 2] } });
    await origin.result();
    const nowhere = { code: "FORK_INVALID", field: "from" };
    await expect(ledger.fork(origin, { from: "each/7/times" })).rejects.toMatchObject(nowhere);
    await expect(ledger.fork(origin, { from: "maybe/0/yes" })).rejects.toThrow("Fork from maybe.");
  });

  test("a preview lists kept and executed steps and starts nothing", async () => {
    const origin = await ledger.start(wide, { input: { items: [1, 2, 3] } });
    await origin.result();
    const heads = await store.listHeads();
    expect(await ledger.previewFork(origin, { from: "each/1/times" })).toMatchObject({
      runId: origin.id,
      workflow: "wide",
      version: "1",
      kept: ["each/0/times", "each/2/times", "kid"],
      goesOn: ["each"],
      runs: ["each/1/times", "maybe", "poll", "end"],
    });
    expect(await store.listHeads()).toEqual(heads);
  });
});

const kid = workflow("kid", { version: "1" }, (w) => w.step("five", () => note("kid", 5)));

const wide = workflow("wide", { version: "1", input: z.object({ items: z.array(z.number()) }) }, (w) => {
  const each = w.forEach("each", { items: ({ input }) => input.items }, (v) =>
    v.step("times", ({ item }) => note(`times ${item}`, item * 10)),
  );
  const isBig = {
    needs: { each },
    if: async (ctx: { needs: { each: Items<number> } }) => (await ctx.needs.each.toArray()).length > 2,
  };
  const maybe = w.when("maybe", isBig, (v) => v.step("yes", () => note("yes", "big")));
  const poll = w.repeat(
    "poll",
    { after: [maybe], max: 5 },
    (v) => v.step("look", ({ iteration }) => note(`poll ${iteration}`, iteration + 1)),
    ({ output }) => output === 2,
  );
  const child = w.child("kid", kid);
  return w.step("end", { needs: { each, maybe, poll, child } }, async ({ needs }) => ({
    items: await needs.each.toArray(),
    branch: needs.maybe,
    polled: needs.poll,
    child: needs.child,
  }));
});

const files = workflow("files", { version: "1" }, (w) => {
  const write = w.step("write", async ({ artifact }) => {
    const { uri } = await artifact.write("numbers", Array.from({ length: 10_000 }, (_, n) => n).join());
    return { uri, kind: note("write", "numbers") };
  });
  const tell = w.step("tell", async ({ secrets }) => note("tell", await secrets.get("TOKEN")));
  return w.step("read", { needs: { write, tell } }, async ({ needs, artifact }) => {
    const numbers = (await artifact.read(needs.write).text()).split(",");
    return `${numbers.length} items, the last is ${numbers.at(-1)}, told ${needs.tell}`;
  });
});

const signals = workflow("signals", { version: "1" }, (w) => {
  const one = w.waitForSignal("first");
  const two = w.waitForSignal("second");
  return w.step("end", { needs: { one, two } }, ({ needs }) => [needs.one, needs.two]);
});

const undoable = workflow("undoable", { version: "1" }, (w) => {
  const one = w.step("one", {}, () => note("one", 1), { compensate: () => void note("undo one", 0) });
  const two = w.step("two", { after: [one] }, () => note("two", 2), { compensate: () => void note("undo two", 0) });
  w.waitForSignal("go", { id: "wait", after: [two] });
});

const fewer = workflow("nightly", { version: "3" }, (w) => {
  const extract = w.step("extract", () => 1);
  w.sleep("load", { after: [extract], for: "1s" });
  w.step("publish", { after: [extract] }, () => 1);
});

const strict = workflow("nightly", { version: "4", input: z.object({ day: z.string() }) }, (w) => {
  const extract = w.step("extract", () => 1);
  const load = w.step("load", { after: [extract] }, () => 1);
  w.step("beside", { after: [extract] }, () => 1);
  w.step("publish", { after: [load] }, () => 1);
});
