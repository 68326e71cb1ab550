// @module-tag E-01
/** Tests every step kind: its plan and its execution. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, workflow, type Ledger } from "../index.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { compiledOf } from "./compiled-workflow.js";
import type { AnyWorkflow } from "./types.js";

const planOf = (made: AnyWorkflow) => compiledOf(made).plan;

const billing = workflow("billing", { version: "1", input: z.object({ orders: z.array(z.string()) }) }, (w) =>
  w.step("bill", ({ input }) => ({ billed: input.orders.length })),
);

const all = workflow(
  "all",
  {
    version: "2.0.0",
    deadline: "1h",
    input: z.object({ tables: z.array(z.string()), limit: z.number() }),
    signals: { approve: z.object({ by: z.string() }) },
    state: { schema: z.object({ seen: z.number() }), initial: { seen: 0 } },
  },
  (w) => {
    const extract = w.step("extract", { retry: { attempts: 3, delay: "1ms" }, timeout: "10s" }, ({ input, patch }) => {
      patch({ seen: input.tables.length });
      return { tables: input.tables };
    });
    const soft = w.step("soft", { continueOnFailure: true }, (): { n: number } => {
      throw new Error("soft");
    });
    const each = w.forEach(
      "tables",
      { needs: { extract }, items: ({ needs }) => needs.extract.tables, concurrency: 2 },
      (w) => {
        const one = w.step("one", ({ item, index }) => `${index}:${item}`);
        return w.step("two", { needs: { one } }, ({ needs, item }) => needs.one.length + item.length);
      },
    );
    const big = w.when(
      "big",
      { needs: { extract }, if: ({ needs, input }) => needs.extract.tables.length > input.limit },
      (w) => w.step("yes", () => "big" as const),
      (w) => w.step("no", () => "small" as const),
    );
    const only = w.when("only", { if: () => false }, (w) => w.step("never", () => 1));
    const polled = w.repeat(
      "poll",
      { max: 5, delay: "1ms" },
      (w) => w.step("check", ({ iteration }) => ({ at: iteration })),
      ({ output, iteration }) => output.at === iteration && iteration === 2,
    );
    const approve = w.waitForSignal("approve", { after: [each], timeout: "1h" });
    const late = w.waitForSignal("never", { timeout: "1ms", onTimeout: "continue" });
    const nap = w.sleep("nap", { after: [big], for: "1ms" });
    const until = w.sleep("until", { until: () => "2026-01-01T00:00:00Z" });
    const bill = w.child("bill", billing, {
      needs: { extract },
      input: ({ needs }) => ({ orders: needs.extract.tables }),
    });
    return w.step(
      "end",
      { needs: { soft, each, big, only, polled, approve, late, bill }, after: [nap, until] },
      async ({ needs, state }) => ({
        soft: needs.soft ?? "nothing",
        each: await needs.each.toArray(),
        count: needs.each.count,
        big: needs.big,
        only: needs.only,
        polled: needs.polled.at,
        by: needs.approve.by,
        late: needs.late,
        billed: needs.bill.billed,
        seen: state.seen,
      }),
    );
  },
);

describe("plans of the step kinds", () => {
  const step = (id: string) => planOf(all).body.steps.find((candidate) => candidate.id === id);

  test("the workflow itself", () => {
    expect(planOf(all)).toMatchObject({ planId: "all", planVersion: "2.0.0", deadlineMs: 3_600_000, approval: false });
    expect(planOf(all).body.output).toBe("end");
    expect(all).toEqual({ id: "all", version: "2.0.0" });
  });

  test.each([
    ["extract", { kind: "function", retry: { attempts: 3, delayMs: 1 }, timeoutMs: 10_000 }],
    ["soft", { kind: "function", continueOnFailure: true }],
    ["tables", { kind: "forEach", concurrency: 2, needs: { extract: "extract" } }],
    ["big", { kind: "when", bodies: [{ output: "big/yes" }, { output: "big/no" }] }],
    ["only", { kind: "when", bodies: [{ output: "only/never" }] }],
    ["poll", { kind: "repeat", max: 5, delayMs: 1, bodies: [{ output: "poll/check" }] }],
    ["approve", { kind: "wait", signal: "approve", after: ["tables"], timeoutMs: 3_600_000 }],
    ["never", { kind: "wait", signal: "never", onTimeout: "continue" }],
    ["nap", { kind: "sleep", forMs: 1, after: ["big"] }],
    ["until", { kind: "sleep" }],
    ["bill", { kind: "child", child: { planId: "billing", planVersion: "1" } }],
  ])("%s", (id, expected) => {
    expect(step(id)).toMatchObject(expected);
  });

  test("static settings of runners are part of the plan", () => {
    const made = workflow("work", { version: "1", approval: true }, (w) => {
      w.command("fixed", { run: ["dbt", "build"], cwd: "/srv", env: { A: "1" } });
      w.command("computed", { run: () => ["dbt", "build"] });
      w.sql("count", { text: "select $1::int", connection: "warehouse", params: () => [1] });
      w.http("call", { request: () => ({ url: "http://x" }) });
      w.task("own", { kind: "dbt", with: { select: ["orders"] } });
      w.step("undone", {}, () => 1, { compensate: () => {} });
    });
    expect(planOf(made)).toMatchObject({ approval: true, body: { output: null } });
    expect(planOf(made).body.steps).toMatchObject([
      { kind: "command", options: { run: ["dbt", "build"], cwd: "/srv", env: { A: "1" } } },
      { kind: "command", options: {} },
      { kind: "sql", options: { text: "select $1::int", connection: "warehouse" } },
      { kind: "http" },
      { kind: "dbt", options: { select: ["orders"] } },
      { kind: "function", compensate: true },
    ]);
  });
});

describe("runs of the step kinds", () => {
  let ledger: Ledger;
  let database: FreshDatabase;
  let server: Server;
  beforeAll(async () => {
    [ledger, database] = await Promise.all([connect("memory:"), freshDatabase()]);
    server = createServer((request, response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ ok: request.method === "POST" }));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterAll(async () => {
    await ledger.close();
    await database.drop();
    server.close();
  });

  test("every construct in one workflow", async () => {
    await ledger.worker({ workflows: [all, billing], pollMs: 5 });
    const run = await ledger.start(all, { input: { tables: ["a", "bb", "ccc"], limit: 2 } });
    await run.signal("approve", { by: "you" });
    expect(await run.result()).toEqual({
      soft: "nothing",
      each: [4, 6, 8],
      count: 3,
      big: "big",
      only: null,
      polled: 2,
      by: "you",
      late: null,
      billed: 3,
      seen: 3,
    });
  });

  test("command, sql, http and a custom kind", async () => {
    const { port } = server.address() as AddressInfo;
    const made = workflow("work", { version: "1", input: z.object({ n: z.number() }) }, (w) => {
      const print = w.command("print", {
        run: ({ input }) => [process.execPath, "-e", `process.exit(${input.n} - 7)`],
      });
      const count = w.sql("count", {
        text: "select $1::int + 1 as n",
        params: ({ input }) => [input.n],
        row: z.object({ n: z.number() }),
      });
      const call = w.http("call", {
        needs: { count },
        request: ({ needs }) => ({ method: "POST", url: `http://127.0.0.1:${port}`, body: { n: needs.count[0]!.n } }),
        body: z.object({ ok: z.boolean() }),
      });
      const own = w.task("own", { kind: "double", with: ({ input }) => ({ n: input.n }) });
      return w.step("end", { needs: { print, count, call, own } }, ({ needs }) => {
        return { exitCode: needs.print.exitCode, rows: needs.count, ok: needs.call.body.ok, own: needs.own };
      });
    });
    await ledger.worker({
      workflows: [made],
      pollMs: 5,
      connections: { default: database.url },
      runners: {
        double: async ({ options }) => Number(options["n"]) * 2,
      },
    });
    const run = await ledger.start(made, { input: { n: 7 } });
    expect(await run.result()).toEqual({ exitCode: 0, rows: [{ n: 8 }], ok: true, own: 14 });
  });

  test("compensate reads the step's output and runs when the run is cancelled", async () => {
    const undone: unknown[] = [];
    const made = workflow("undo", { version: "1" }, (w) => {
      const charge = w.step("charge", {}, () => ({ chargeId: "c-1" }), {
        compensate: ({ output }) => void undone.push(output.chargeId),
      });
      w.waitForSignal("never", { after: [charge] });
    });
    await ledger.worker({ workflows: [made], pollMs: 5 });
    const run = await ledger.start(made);
    for await (const { eventType, stepId } of run.events()) {
      if (eventType === "StepStarted" && stepId === "never") await run.act("CANCEL");
    }
    expect((await run.snapshot()).status).toBe("CANCELLED");
    expect(undone).toEqual(["c-1"]);
  });

  test("a workflow that returns nothing has null as its result", async () => {
    const silent = workflow("silent", { version: "1" }, (w) => {
      w.step("x", () => {});
    });
    await ledger.worker({ workflows: [silent], pollMs: 5 });
    expect(await (await ledger.start(silent)).result()).toBeNull();
  });
});

describe("handles in the wrong place", () => {
  test("of another workflow", { tags: ["E-03"] }, () => {
    let stolen: unknown;
    workflow("owner", {}, (w) => {
      stolen = w.step("a", () => 1);
    });
    const thief = () =>
      workflow("thief", {}, (w) => w.step("b", { after: [stolen as ReturnType<typeof w.step>] }, () => 1));
    expect(thief).toThrow(expect.objectContaining({ code: "PLAN_FOREIGN_HANDLE" }));
    expect(thief).toThrow(/a of workflow owner/);
  });

  test("outside its container, or as the output of another body", { tags: ["E-03"] }, () => {
    const leak = (use: (w: { step: unknown }, inner: unknown) => unknown) => () =>
      workflow("leak", {}, (w) => {
        let inner: unknown;
        w.forEach("each", { items: () => [1] }, (w) => {
          inner = w.step("in", () => 1);
          return inner as ReturnType<typeof w.step<number>>;
        });
        return use(w, inner) as ReturnType<typeof w.step<number>>;
      });
    expect(leak((w, inner) => (w.step as (...args: unknown[]) => unknown)("b", { after: [inner] }, () => 1))).toThrow(
      expect.objectContaining({ code: "PLAN_OUT_OF_SCOPE" }),
    );
    expect(leak((_, inner) => inner)).toThrow(expect.objectContaining({ code: "PLAN_OUT_OF_SCOPE" }));
  });

  test("values that are not handles, from JavaScript", { tags: ["E-03"] }, () => {
    const wrong = () => workflow("x", {}, (w) => w.step("a", { after: [undefined as never] }, () => 1));
    expect(wrong).toThrow(expect.objectContaining({ code: "PLAN_UNKNOWN_STEP" }));
    const noChild = () =>
      workflow("x", {}, (w) => w.child("c", {} as typeof billing, { input: () => ({ orders: [] }) }));
    expect(noChild).toThrow(/Not a workflow/);
  });
});
