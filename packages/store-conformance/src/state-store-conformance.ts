import assert from "node:assert/strict";
import type { StateStore } from "@runledger/contracts";
import type { Clause, ClauseTest, Fixture, OptionalPort } from "./clause.js";
import { clauses } from "./clauses/index.js";

/** A test as the runner calls it. Rest parameters, because Jest takes a declared parameter for a callback. */
type TestBody = (...context: unknown[]) => Promise<void>;

/** The `describe` and `test` of vitest, node:test or Jest. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  test(name: string, body: TestBody): unknown;
}

/** What a store cannot do, and why. */
export interface ConformanceException {
  /** The clause, by its name. */
  readonly clause: string;
  /** The clause holds up to this number of events per run and call. Absent = the clause is left out. */
  readonly above?: number;
  readonly reason: string;
}

export interface ConformanceOptions {
  readonly runner: TestRunner;
  /** Opens a fresh, empty store. The suite closes it. */
  open(): Promise<StateStore>;
  /** Opens once more what `open` gave last, after it was closed. Without it nothing is said about durability. */
  reopen?(): Promise<StateStore>;
  /** True = `reopen` also works while the store is open, as in several processes. */
  readonly shared?: boolean;
  /** Ports that the store does not have: each clause about them is left out in one line instead of test by test. */
  readonly lacks?: readonly OptionalPort[];
  readonly exceptions?: readonly ConformanceException[];
}

/** Judges a store by every clause of the contract whose ports it has. */
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

/** Shown as skipped, with the reason, where the runner can. */
function leaveOut([context]: readonly unknown[], reason: string): void {
  (context as { skip?: (note: string) => void } | undefined)?.skip?.(`by declaration: ${reason}`);
}

/** A misspelt exception would silently except nothing. */
function checkExceptions({ exceptions = [] }: ConformanceOptions): void {
  const names = clauses.map((clause) => clause.name);
  for (const { clause } of exceptions) {
    if (!names.includes(clause)) throw new Error(`There is no clause ${clause}; there are ${names.join(", ")}.`);
  }
}
