/**
 * Names the sources that are mutated and the tests that should notice. These are the tests beside the code and the fastest
 * others: a mutant that only a test of minutes could find counts as survived.
 * @typedef {{ sources: string[], tests: string[], also?: Record<string, string[]>, titles?: Record<string, string>,
 *   clauses?: readonly (readonly [RegExp, string])[], sample: number, needed: number }} Area
 *   `tests` run in this order after the tests in the folder of the mutant, `also` after them for the mutants of a folder,
 *   `titles` selects tests of a file by a pattern, `clauses` of the conformance suite run first for the files that match,
 *   `needed` is the share that must be killed
 */

const memory = "packages/store-conformance/src/memory.test.ts";
const postgres = "packages/store-conformance/src/postgres.test.ts";

/** @param {string} name */
const inEngine = (name) => `packages/runtime/src/engine/${name}.test.ts`;

/** @type {Readonly<Record<string, Area>>} */
export const areas = {
  core: {
    sources: ["packages/core/src/"],
    tests: ["packages/core/src/"],
    also: { "packages/core/src/store/": [memory], "packages/core/src/admission/": [memory] },
    sample: 60,
    needed: 0.9,
  },
  "store-postgres": {
    sources: ["packages/store-postgres/src/", "packages/store-postgres/schema/functions/"],
    tests: [
      postgres,
      ...[
        "append-events",
        "queue-effects",
        "queue-claim",
        "archive",
        "schedules",
        "unserved-plans",
        "closing",
        "time-limits",
        "index-rows",
        "limits",
        "connection",
        "append-columns",
        "fetch-events",
      ].map((name) => `packages/store-postgres/src/${name}.test.ts`),
      "packages/store-postgres/src/change-feed.test.ts",
      "packages/store-postgres/src/migrate.test.ts",
      "packages/store-postgres/tests/late-head.test.ts",
    ],
    also: {
      "packages/store-postgres/src/artifacts.ts": ["packages/runtime/src/artifacts/artifact-port.test.ts"],
      "packages/store-postgres/src/feed-": ["packages/store-postgres/src/change-feed.test.ts"],
      "packages/store-postgres/schema/functions/count_queued": ["packages/store-postgres/src/limits.test.ts"],
      "packages/store-postgres/schema/functions/hold_runs": ["packages/store-postgres/src/limits.test.ts"],
    },
    clauses: [
      [/queue|take_runs|lane|count_|hold_|limit/, "run-queue|queue-facts|parking|limits|forked-starts"],
      [/append/, "idempotency|expected-seq|batch|contiguity|coalescing|fencing|checkpoints|parking|judged"],
      [/feed/, "change-feed|outbox"],
      [/index/, "run-index"],
      [/deliver|dead-letter|subscription/, "outbox"],
      [/fetch/, "fetch|ordering|stream"],
      [/^(client|connection|pool)/, "closing|concurrency|ordering"],
      [/audit|plans|schedules|derived-data|archive|keyframes|leases|snapshots|heads/, "$&"],
    ],
    sample: 30,
    needed: 0.8,
  },
  engine: {
    sources: ["packages/runtime/src/engine/"],
    tests: [
      ...["worker", "speculative-run", "suspects", "children", "runners", "behaviour", "checkpoints", "redactor"].map(
        inEngine,
      ),
      ...[
        "draining",
        "item-lists",
        "step-tools",
        "store-outage",
        "event-origin",
        "lost-events",
        "step-process",
        "evaluate-container",
        "store-calls",
      ].map(inEngine),
      "packages/runtime/src/runs/signals.test.ts",
      "packages/runtime/src/testing/test-ledger.test.ts",
      "packages/runtime/src/workflow/",
    ],
    also: {
      "packages/runtime/src/engine/runners/": ["packages/runtime/src/engine/runners/"],
      "packages/runtime/src/engine/child": [inEngine("children")],
    },
    titles: { [inEngine("step-tools")]: "^(?!.*prints with console)" }, // needs its own process
    sample: 30,
    needed: 0.8,
  },
  projector: {
    sources: ["packages/runtime/src/projector/"],
    tests: ["packages/runtime/src/projector/", "tests/projector/derived-data.test.ts"],
    sample: 30,
    needed: 0.8,
  },
  scheduler: {
    sources: ["packages/runtime/src/scheduler/"],
    tests: ["packages/runtime/src/scheduler/"],
    sample: 30,
    needed: 0.8,
  },
};

/** The clauses of the conformance suite that concern a source. @param {Area | undefined} area @param {string} source */
export function clausesFor(area, source) {
  const name = source.slice(source.lastIndexOf("/") + 1);
  const [pattern, clauses] = area?.clauses?.find(([each]) => each.test(name)) ?? [];
  if (pattern === undefined || clauses === undefined) return [];
  return [{ file: postgres, title: clauses === "$&" ? (pattern.exec(name)?.[0] ?? "") : clauses }];
}

/** @param {string} file @returns {string | undefined} the area of a source */
export const areaOf = (file) =>
  Object.keys(areas).find((name) => areas[name]?.sources.some((folder) => file.startsWith(folder)));
