// @module-tag L-40
import { MemoryStore } from "@runledger/store-memory";
import { describe, expect, test, vi } from "vitest";
import { clauses } from "./clauses/index.js";
import { overlay } from "./planted/mutant.js";
import { stateStoreConformance, type ConformanceOptions } from "./state-store-conformance.js";

interface Collected {
  readonly clause: string;
  readonly title: string;
  readonly run: (context?: unknown) => Promise<void>;
}

/** Returns the tests that the suite registers with a runner, without running them. */
function collect(options: Partial<ConformanceOptions>): Collected[] {
  const tests: Collected[] = [];
  let clause = "";
  const enter = (name: string, body: () => void): void => {
    clause = name;
    body();
  };
  const add = (title: string, body: (...context: unknown[]) => Promise<void>): void => {
    tests.push({ clause, title, run: (context) => body(context) });
  };
  const open = async () => new MemoryStore();
  stateStoreConformance("store", { runner: { describe: enter, test: add }, open, ...options });
  return tests;
}

const titlesOf = (tests: readonly Collected[], clause: string): string[] =>
  tests.filter((candidate) => candidate.clause === clause).map(({ title }) => title);

describe("exceptions of a store", () => {
  test("an excepted clause is one test, skipped with its reason", async () => {
    const reason = "appends are never repeated";
    const tests = collect({ exceptions: [{ clause: "idempotency", reason }] });
    const [only, ...more] = tests.filter(({ clause }) => clause === "idempotency");
    expect([only?.title, more]).toEqual([`left out: ${reason}`, []]);
    const skip = vi.fn<(reason: string) => void>();
    await only?.run({ skip });
    expect(skip).toHaveBeenCalledWith(`by declaration: ${reason}`);
  });

  test("a clause with a bound is kept, and asks for no more than that in one call", async () => {
    const most: number[] = [];
    const open = async () => {
      const real = new MemoryStore();
      const appendEvents: MemoryStore["appendEvents"] = (events, options) => {
        most.push(events.length);
        return real.appendEvents(events, options);
      };
      return overlay(real, { appendEvents });
    };
    const exception = { clause: "batch-atomicity", above: 40, reason: "a transaction takes 100 actions" };
    const tests = collect({ open, exceptions: [exception] });
    expect(titlesOf(tests, "batch-atomicity")).toHaveLength(titlesOf(collect({}), "batch-atomicity").length);
    for (const { clause, run } of tests) if (clause === "batch-atomicity") await run();
    expect(Math.max(...most)).toBe(40);
  });

  test("an exception from a clause that does not exist is an error, not a silent pass", () => {
    const exceptions = [{ clause: "idempotence", reason: "misspelt" }];
    expect(() => collect({ exceptions })).toThrow(/Clause idempotence does not exist. Use one of idempotency, /);
  });

  test("a port that is missing skips the tests that need it, each with the reason", async () => {
    const open = async () => overlay<MemoryStore>(new MemoryStore(), { leases: undefined as never });
    const needy = collect({ open }).filter(({ clause }) => clause === "leases");
    const skip = vi.fn<(reason: string) => void>();
    for (const { run } of needy) await run({ skip });
    expect(skip).toHaveBeenCalledTimes(needy.length);
    expect(skip).toHaveBeenCalledWith("by declaration: this store has no port `leases`");
  });

  test("the clauses of a port declared as missing are skipped, one line each", () => {
    const tests = collect({ lacks: ["leases"] });
    expect(titlesOf(tests, "leases")).toEqual(["left out: this store has no port `leases`"]);
    expect(titlesOf(tests, "fencing")).toEqual(["left out: this store has no port `leases`"]);
  });

  test("a port declared as missing that exists fails the suite", async () => {
    const [first] = collect({ lacks: ["feed"] });
    await expect(first?.run()).rejects.toThrow(/has what it says it lacks/);
  });
});

test("every clause has a unique name, and unique titles in it", () => {
  expect(new Set(clauses.map(({ name }) => name)).size).toBe(clauses.length);
  for (const { name, tests } of clauses) expect(new Set(tests.map(({ title }) => title)).size, name).toBe(tests.length);
});

test("a store is closed after each test, also after one that failed", async () => {
  const opened: MemoryStore[] = [];
  const open = async () => {
    const store = new MemoryStore();
    opened.push(store);
    return overlay<MemoryStore>(store, { appendEvent: () => Promise.reject(new Error("planted")) });
  };
  const [idempotent] = collect({ open });
  await expect(idempotent?.run()).rejects.toThrow("planted");
  await expect(opened[0]?.fetchHeads([])).rejects.toMatchObject({ code: "STORE_CLOSED" });
});
