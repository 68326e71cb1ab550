import assert from "node:assert/strict";
import type { StateStore } from "@runledger/contracts";
import type { Clause, ClauseTest, Fixture, OptionalPort } from "./clause.js";
import { clauses } from "./clauses/index.js";

/** A test as the runner calls it. Rest parameters, because Jest treats a declared parameter as a callback. */
export type TestBody = (...context: unknown[]) => Promise<void>;

/** The `describe` and `test` of vitest, node:test or Jest. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  test(name: string, body: TestBody): unknown;
}

/** A clause that a store cannot meet, and the reason. */
export interface ConformanceException {
  /** The name of the clause. */
  readonly clause: string;
  /** The clause applies up to this number of events per run and call. Absent if the clause is skipped. */
  readonly above?: number;
  readonly reason: string;
}

export interface ConformanceOptions {
  readonly runner: TestRunner;
  /** Opens a fresh, empty store. The suite closes it. */
  open(): Promise<StateStore>;
  /** Opens the store of the last `open` again after it was closed. If it is absent, durability is not tested. */
  reopen?(): Promise<StateStore>;
  /** `true` if `reopen` also works while the store is open, as for several processes. */
  readonly shared?: boolean;
  /** Ports that the store does not have. Each clause that needs them is skipped in one line instead of test by test. */
  readonly lacks?: readonly OptionalPort[];
  readonly exceptions?: readonly ConformanceException[];
}

/** Tests a store against every clause of the contract whose ports it has. */
export function stateStoreConformance(name: string, options: ConformanceOptions): void {
  checkExceptions(options);
  options.runner.describe(`${name} keeps the state store contract`, () => {
    for (const clause of clauses) describeClause(clause, options);
  });
}

function describeClause(clause: Clause, options: ConformanceOptions): void {
  const { runner, exceptions = [], lacks = [] } = options;
  const exception = exceptions.find((candidate) => candidate.clause === clause.name);
  const most = exception?.above ?? Number.POSITIVE_INFINITY;
  const lacking = clause.ports.find((port) => lacks.includes(port));
  const reason = lacking === undefined ? exception?.reason : noPort(lacking);
  runner.describe(clause.name, () => {
    if (reason !== undefined && exception?.above === undefined)
      return void runner.test(`left out: ${reason}`, async (...context) => leaveOut(context, reason));
    for (const test of clause.tests)
      runner.test(test.title, (...context) => runTest({ clause, test, options, most, context }));
  });
}

interface TestRun {
  readonly clause: Clause;
  readonly test: ClauseTest;
  readonly options: ConformanceOptions;
  readonly most: number;
  readonly context: readonly unknown[];
}

async function runTest({ clause, test, options, most, context }: TestRun): Promise<void> {
  const opened: StateStore[] = [];
  const keep = async (opening: Promise<StateStore>): Promise<StateStore> => {
    const store = await opening;
    opened.push(store);
    return store;
  };
  try {
    const store = await keep(options.open());
    const missing = clause.ports.find((port) => store[port] === undefined);
    if (missing !== undefined) return leaveOut(context, noPort(missing));
    assert.deepEqual(
      (options.lacks ?? []).filter((port) => store[port] !== undefined),
      [],
      "it has what it says it lacks",
    );
    await test.run(fixture(store as Fixture<OptionalPort>["store"], options, most, keep));
  } finally {
    await Promise.all(opened.map((store) => store.close()));
  }
}

function fixture(
  store: Fixture<OptionalPort>["store"],
  { reopen, shared = false }: ConformanceOptions,
  most: number,
  keep: (opening: Promise<StateStore>) => Promise<StateStore>,
): Fixture<OptionalPort> {
  const declared = store.capabilities.maxEventsPerRunAndCall ?? Number.POSITIVE_INFINITY;
  return {
    store,
    atMost: (count) => Math.min(count, most, declared),
    another: async () => (reopen !== undefined && shared ? keep(reopen()) : store),
    reopen: reopen === undefined ? null : () => store.close().then(() => keep(reopen())),
  };
}

const noPort = (port: OptionalPort): string => `this store has no port \`${port}\``;

/** Marks the test as skipped, with the reason, if the runner supports it. */
function leaveOut([context]: readonly unknown[], reason: string): void {
  (context as { skip?: (note: string) => void } | undefined)?.skip?.(`by declaration: ${reason}`);
}

/** A misspelled exception would silently have no effect. */
function checkExceptions({ exceptions = [] }: ConformanceOptions): void {
  const names = clauses.map((clause) => clause.name);
  for (const { clause } of exceptions) {
    if (!names.includes(clause)) throw new Error(`Clause ${clause} does not exist. Use one of ${names.join(", ")}.`);
  }
}
