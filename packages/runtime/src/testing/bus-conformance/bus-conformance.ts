/** Tests a bus against every clause of the contract of buses. */
import type { BusClause, BusUnderTest } from "./bus-clause.js";
import { openFixture } from "./bus-fixture.js";
import { busClauses } from "./clauses/index.js";

/** The `describe` and `test` of vitest, node:test or Jest. */
export interface BusTestRunner {
  describe(name: string, body: () => void): unknown;
  test(name: string, body: (...context: unknown[]) => Promise<void>): unknown;
}

export interface BusConformanceOptions {
  readonly runner: BusTestRunner;
  /** Returns a bus with an empty destination. */
  open(): Promise<BusUnderTest>;
}

/**
 * Tests a bus. Clauses about outages and refusals are skipped if `open` returns a bus that cannot show them.
 *
 * @example
 * busConformance("our bus", { runner: { describe, test }, open: async () => ({ factory, settings, received }) });
 */
export function busConformance(name: string, { runner, open }: BusConformanceOptions): void {
  runner.describe(`${name} keeps the contract of buses`, () => {
    for (const clause of busClauses)
      runner.describe(clause.name, () => {
        for (const [title, run] of Object.entries(clause.tests))
          runner.test(title, async (...context) => runTest({ clause, run, open, context }));
      });
  });
}

interface TestRun {
  readonly clause: BusClause;
  readonly run: BusClause["tests"][string];
  readonly open: () => Promise<BusUnderTest>;
  readonly context: readonly unknown[];
}

async function runTest({ clause, run, open, context }: TestRun): Promise<void> {
  const under = await open();
  const missing = clause.needs.find((need) => under[need] === undefined);
  try {
    if (missing !== undefined) return leaveOut(context, `this bus has no \`${missing}\``);
    await runOn(under, run);
  } finally {
    await under.close?.();
  }
}

async function runOn(under: BusUnderTest, run: TestRun["run"]): Promise<void> {
  const fixture = openFixture(under);
  try {
    await run(fixture);
  } finally {
    await fixture.close();
  }
}

/** Marks the test as skipped, with the reason, if the runner supports it. */
function leaveOut([context]: readonly unknown[], reason: string): void {
  (context as { skip?: (note: string) => void } | undefined)?.skip?.(`by declaration: ${reason}`);
}
