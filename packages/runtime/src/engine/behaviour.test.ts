// @module-tag E-10
/** Tests the guarantees for workflow authors from outside, on the reference store and on PostgreSQL. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { CanonicalEngineEvent, JsonObject } from "@runledger/contracts";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { connect, FatalStepError, workflow } from "../index.js";

type Ledger = Awaited<ReturnType<typeof connect>>;
let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

const of = async (ledger: Ledger, runId: string, stepId?: string): Promise<CanonicalEngineEvent[]> =>
  (await ledger.store.fetchEvents(runId)).filter((event) => stepId === undefined || event.stepId === stepId);
const data = (event: CanonicalEngineEvent | undefined): JsonObject => (event?.eventData ?? {}) as JsonObject;

describe.each([
  ["memory", () => connect("memory:")],
  ["PostgreSQL", () => connect(database.url)],
])("on %s", (store, open) => {
  /** Other runs of the same database must not be claimed by this test's worker. */
  const version = (name: string): string => `${name}-${store}`;

  test("D5: a failing step is retried as its policy allows, and each try is a new attempt", async () => {
    await using ledger = await open();
    let tries = 0;
    const flow = workflow("retries", { version: version("1") }, (w) =>
      w.step("flaky", { retry: { attempts: 3, delay: "5ms" } }, ({ attempt }) => {
        if (++tries < 3) throw new Error(`try ${tries}`);
        return attempt;
      }),
    );
    await ledger.worker({ workflows: [flow] });
    const run = await ledger.start(flow);
    expect(await run.result()).toBe(3);
    const events = await of(ledger, run.id, "flaky");
    expect(events.map(({ eventType, logicalAttemptId }) => `${eventType} ${logicalAttemptId}`)).toEqual([
      "StepStarted 1",
      "StepFailed 1",
      "StepStarted 2",
      "StepFailed 2",
      "StepStarted 3",
      "StepCompleted 3",
    ]);
    expect(data(events[1])["retryAt"]).toEqual(expect.any(String));
  });

  test("an error that the policy or the error itself excludes is not retried", async () => {
    await using ledger = await open();
    const flow = workflow("no-retry", { version: version("1") }, (w) => {
      w.step("excluded", { retry: { attempts: 5, unless: ["BAD_INPUT"] }, continueOnFailure: true }, (): string => {
        throw Object.assign(new Error("no"), { code: "BAD_INPUT" });
      });
      w.step("fatal", { retry: { attempts: 5 } }, (): string => {
        throw new FatalStepError("HOPELESS", "never");
      });
    });
    await ledger.worker({ workflows: [flow] });
    const run = await ledger.start(flow);
    await expect(run.result()).rejects.toMatchObject({ snapshot: { culprit: "fatal", error: { code: "HOPELESS" } } });
    for (const step of ["excluded", "fatal"]) expect(await of(ledger, run.id, step)).toHaveLength(2);
  });

  test("a step that takes too long is aborted and fails with TIMEOUT", async () => {
    await using ledger = await open();
    let aborted = false;
    const flow = workflow("slow", { version: version("1") }, (w) =>
      w.step("slow", { timeout: "30ms" }, ({ signal }) => {
        signal.addEventListener("abort", () => (aborted = true));
        return new Promise<string>(() => {});
      }),
    );
    await ledger.worker({ workflows: [flow] });
    const run = await ledger.start(flow);
    await expect(run.result()).rejects.toMatchObject({ snapshot: { error: { code: "TIMEOUT" }, culprit: "slow" } });
    expect(aborted).toBe(true);
  });

  test("D3: a run out of time is stopped and fails with DEADLINE_EXCEEDED", async () => {
    await using ledger = await open();
    const flow = workflow("late", { version: version("1"), deadline: "50ms" }, (w) => w.waitForSignal("never"));
    await ledger.worker({ workflows: [flow], pollMs: 20 });
    const run = await ledger.start(flow);
    await expect(run.result()).rejects.toMatchObject({ snapshot: { error: { code: "DEADLINE_EXCEEDED" } } });
  });

  test(
    "D8: after a failure independent branches finish, dependents are skipped with the culprit",
    { tags: ["E-11"] },
    async () => {
      await using ledger = await open();
      const flow = workflow("fails", { version: version("1") }, (w) => {
        const bad = w.step("bad", (): string => {
          throw new Error("boom");
        });
        const next = w.step("next", { needs: { bad } }, () => 1);
        w.step("last", { after: [next] }, () => 2);
        w.step("independent", () => 3);
        const soft = w.step("soft", { continueOnFailure: true }, (): number => {
          throw new Error("never mind");
        });
        w.step("goes-on", { needs: { soft } }, ({ needs }) => needs.soft === undefined);
      });
      await ledger.worker({ workflows: [flow] });
      const run = await ledger.start(flow);
      await expect(run.result()).rejects.toMatchObject({ snapshot: { status: "FAILED", culprit: "bad" } });
      const steps = new Map((await run.snapshot()).steps.map((step) => [step.stepId, step]));
      expect(steps.get("next")).toMatchObject({ status: "SKIPPED", culprit: "bad" });
      expect(steps.get("last")).toMatchObject({ status: "SKIPPED", culprit: "bad" });
      expect(steps.get("independent")).toMatchObject({ status: "SUCCESS" });
      expect(data((await of(ledger, run.id, "goes-on"))[1])["output"]).toBe(true);
    },
  );

  test(
    "D1: what a closure returned is on record; a changed closure does not change a run in flight",
    { tags: ["E-12"] },
    async () => {
      await using ledger = await open();
      let items = ["a", "b"];
      const make = () =>
        workflow("items", { version: version("1") }, (w) => {
          const each = w.forEach("each", { items: () => items }, (inner) => {
            const go = inner.waitForSignal("go");
            return inner.step("echo", { needs: { go } }, ({ item }) => item);
          });
          return w.step("all", { needs: { each } }, ({ needs }) => needs.each.toArray());
        });
      const flow = make();
      const first = await ledger.worker({ workflows: [flow], pollMs: 20 });
      const run = await ledger.start(flow);
      await expect.poll(async () => (await of(ledger, run.id, "each")).length).toBeGreaterThan(0);
      await first.stop();
      items = ["changed", "closure", "now"];
      await ledger.worker({ workflows: [make()], pollMs: 20 });
      for (const payload of [1, 2]) await ledger.signal(run.id, "go", payload);
      expect(await run.result()).toEqual(["a", "b"]);
    },
  );

  test(
    "D2: state is folded from patches in the order of the log, and read as of the step's start",
    { tags: ["E-13"] },
    async () => {
      await using ledger = await open();
      const state = {
        schema: z.object({ rows: z.number(), last: z.string().nullable() }),
        initial: { rows: 0, last: null },
      };
      const flow = workflow("state", { version: version("1"), state }, (w) => {
        const one = w.step("one", ({ patch, state: now }) => patch({ rows: now.rows + 2, last: "one" }));
        const two = w.step("two", { after: [one] }, ({ patch, state: now }) =>
          patch({ rows: now.rows * 10, last: null }),
        );
        return w.step("read", { after: [two] }, ({ state: now }) => ({ ...now }));
      });
      await ledger.worker({ workflows: [flow] });
      const run = await ledger.start(flow);
      expect(await run.result()).toEqual({ rows: 20 });
      expect((await run.snapshot()).state).toEqual({ rows: 20 });
    },
  );

  test(
    "D9: a child is started once per attempt, wakes its parent, and goes down with it",
    { tags: ["E-14"] },
    async () => {
      await using ledger = await open();
      const child = workflow("child", { version: version("1"), input: z.object({ n: z.number() }) }, (w) =>
        w.step("double", ({ input }) => input.n * 2),
      );
      const stuck = workflow("stuck", { version: version("1") }, (w) => w.waitForSignal("never"));
      const parent = workflow("parent", { version: version("1") }, (w) =>
        w.child("kid", child, { input: () => ({ n: 21 }) }),
      );
      const doomed = workflow("doomed", { version: version("1") }, (w) => w.child("kid", stuck));
      await ledger.worker({ workflows: [parent, child, doomed, stuck], pollMs: 20 });
      expect(await (await ledger.start(parent)).result()).toBe(42);
      const run = await ledger.start(doomed);
      const childOf = async () => data((await of(ledger, run.id, "kid"))[0])["opened"] as JsonObject | undefined;
      await expect.poll(childOf).toBeDefined();
      const { childRunId } = (await childOf()) as { readonly childRunId: string };
      await run.act("CANCEL");
      await expect(run.result()).rejects.toMatchObject({ snapshot: { status: "CANCELLED" } });
      await expect.poll(async () => (await ledger.store.projectSnapshot(childRunId)).status).toBe("CANCELLED");
    },
  );

  test(
    "D6: the idempotency key is one for all attempts until a reset, the attempt key one for each",
    { tags: ["E-15"] },
    async () => {
      await using ledger = await open();
      const seen: { idempotencyKey: string; attemptKey: string }[] = [];
      const flow = workflow("keys", { version: version("1") }, (w) =>
        w.step("charge", { retry: { attempts: 2, delay: "1ms" } }, ({ idempotencyKey, attemptKey }) => {
          seen.push({ idempotencyKey, attemptKey });
          if (seen.length < 3) throw new Error("again");
          return seen.length;
        }),
      );
      await ledger.worker({ workflows: [flow], pollMs: 20 });
      const run = await ledger.start(flow);
      await expect(run.result()).rejects.toMatchObject({ code: "RUN_FAILED" });
      await run.act("RETRY_RUN");
      await expect.poll(async () => (await run.snapshot()).status).toBe("COMPLETED");
      const [first, second, third] = seen;
      expect(second!.idempotencyKey).toBe(first!.idempotencyKey);
      expect(third!.idempotencyKey).not.toBe(first!.idempotencyKey);
      expect(new Set(seen.map(({ attemptKey }) => attemptKey)).size).toBe(3);
    },
  );

  test(
    "Q1: the same request starts one run, also with ten clients at once; with other input it is refused",
    { tags: ["E-19"] },
    async () => {
      await using ledger = await open();
      const flow = workflow("requests", { version: version("1"), input: z.object({ day: z.string() }) }, (w) =>
        w.step("work", ({ input }) => input.day),
      );
      const starts = Array.from({ length: 10 }, () =>
        ledger.start(flow, { input: { day: "monday" }, requestId: "r-1" }),
      );
      const ids = new Set((await Promise.all(starts)).map(({ id }) => id));
      expect(ids.size).toBe(1);
      const [runId] = [...ids];
      expect((await of(ledger, runId!)).map(({ eventType, runSeq }) => [runSeq, eventType])).toEqual([
        [1, "RunQueued"],
      ]);
      await expect(ledger.start(flow, { input: { day: "tuesday" }, requestId: "r-1" })).rejects.toMatchObject({
        code: "REQUEST_CHANGED",
      });
      await expect(ledger.start(flow, { day: 3 } as never)).rejects.toMatchObject({
        code: "SCHEMA_MISMATCH",
        field: "input.day",
      });
    },
  );

  test("a step that changes its inputs or its returned output does not affect other steps", async () => {
    await using ledger = await open();
    const given = { list: [3, 1, 2] };
    const input = z.object({ days: z.array(z.number()) });
    const flow = workflow("own-copies", { version: version("1"), input }, (w) => {
      const first = w.step("first", () => given);
      const careless = w.step("careless", { needs: { first } }, (ctx) => {
        ctx.needs.first.list.reverse();
        ctx.input.days.push(8);
        given.list.push(4);
        return [...ctx.needs.first.list, ...ctx.input.days];
      });
      const items = { needs: { first }, items: (ctx: { needs: { first: typeof given } }) => [ctx.needs.first] };
      const each = w.forEach("each", items, (body) => {
        const item = body.step("item", (ctx) => ctx.item.list.push(9));
        return body.step("again", { needs: { item } }, (ctx) => ctx.item.list);
      });
      return w.step("last", { needs: { first, careless, each } }, (ctx) => [
        ...ctx.needs.first.list,
        ...ctx.input.days,
      ]);
    });
    await ledger.worker({ workflows: [flow] });
    const run = await ledger.start(flow, { input: { days: [7] } });
    const [mine, yours] = await Promise.all([run.result(), run.result()]);
    mine.push(0);
    expect(yours).toEqual([3, 1, 2, 7]);
    const recorded = async (stepId: string) => data((await of(ledger, run.id, stepId)).at(-1))["output"];
    expect(await recorded("first")).toEqual({ list: [3, 1, 2] });
    expect(await recorded("careless")).toEqual([2, 1, 3, 7, 8]);
    expect(await recorded("each/0/again")).toEqual([3, 1, 2]);
  });

  test("D2: ctx.state is read-only; only what is patched changes it", async () => {
    await using ledger = await open();
    const state = { schema: z.object({ seen: z.array(z.string()) }), initial: { seen: ["a"] } };
    const flow = workflow("read-only", { version: version("1"), state }, (w) => {
      const careless = w.step("careless", { continueOnFailure: true }, (ctx) => ctx.state.seen.push("b"));
      const patched = w.step("patched", { needs: { careless } }, (ctx) => ctx.patch({ seen: ["a", "c"] }));
      return w.step("last", { needs: { patched } }, (ctx) => ctx.state.seen);
    });
    await ledger.worker({ workflows: [flow] });
    const run = await ledger.start(flow);
    expect(await run.result()).toEqual(["a", "c"]);
    expect(data((await of(ledger, run.id, "careless")).at(-1))).toMatchObject({ error: { code: "STEP_ERROR" } });
  });

  test("a signal of the header is checked against its schema", { tags: ["E-16"] }, async () => {
    await using ledger = await open();
    const flow = workflow("typed", { version: version("1"), signals: { release: z.object({ by: z.string() }) } }, (w) =>
      w.waitForSignal("release"),
    );
    const run = await ledger.start(flow);
    await expect(run.signal("release", { by: 3 } as never)).rejects.toMatchObject({
      code: "SCHEMA_MISMATCH",
      field: "signal release.by",
    });
    await run.signal("release", { by: "you" });
    await ledger.worker({ workflows: [flow] });
    expect(await run.result()).toEqual({ by: "you" });
  });
});
