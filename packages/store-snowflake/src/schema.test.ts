// @module-tag S-02
/** The DDL of both shapes: columns, keys, clustering, search optimization and comments. */
import { expect, test } from "vitest";
import { migrationScript } from "./migrate.js";

interface Schema {
  /** The columns and keys of each table, one text each. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
  readonly hybrid: readonly string[];
  readonly views: readonly string[];
  readonly clustering: Readonly<Record<string, string>>;
  readonly searchOptimization: Readonly<Record<string, string>>;
  /** By table, view or column. */
  readonly comments: Readonly<Record<string, string>>;
}

function schemaOf(script: string): Schema {
  const found = (pattern: RegExp) =>
    [...script.matchAll(pattern)].map(([, name = "", rest = ""]) => [name, rest] as const);
  const created = found(/^CREATE (?:HYBRID )?TABLE IF NOT EXISTS (\w+) \(([^;]*)\);$/gm);
  const alike = found(/^CREATE TABLE IF NOT EXISTS (\w+) LIKE (\w+);$/gm);
  const tables = Object.fromEntries(created.map(([name, body]) => [name, partsOf(body)]));
  for (const [name, model] of alike) tables[name] = tables[model]!;
  return {
    tables,
    hybrid: found(/^CREATE HYBRID TABLE IF NOT EXISTS (\w+)/gm).map(([name]) => name),
    views: found(/^CREATE OR REPLACE VIEW (\w+)/gm).map(([name]) => name),
    clustering: Object.fromEntries(found(/^ALTER TABLE (\w+) CLUSTER BY \((.*)\);$/gm)),
    searchOptimization: Object.fromEntries(found(/^ALTER TABLE (\w+) ADD SEARCH OPTIMIZATION ON (.*);$/gm)),
    comments: Object.fromEntries(found(/^COMMENT ON (?:TABLE|VIEW|COLUMN) ([\w.]+) IS '(.+)';$/gm)),
  };
}

const partsOf = (body: string): string[] =>
  body
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim().replaceAll(/\s+/g, " "))
    .toSorted();

/** The log, as the specification defines it. */
const EVENTS = [
  "ADAPTER_VERSION STRING",
  "CAUSED_BY_SIGNAL_ID STRING",
  "EMITTED_AT TIMESTAMP_NTZ NOT NULL",
  "ENGINE_ATTEMPT_ID STRING",
  "ENGINE_RUN_REF VARIANT",
  "EVENT_DATA VARIANT",
  "EVENT_ID STRING NOT NULL",
  "EVENT_TYPE STRING NOT NULL",
  "IDEMPOTENCY_KEY STRING NOT NULL",
  "LOGICAL_ATTEMPT_ID STRING",
  "PARENT_EVENT_ID STRING",
  "PERSISTED_AT TIMESTAMP_NTZ DEFAULT CURRENT_TIMESTAMP()",
  "PLAN_ID STRING",
  "PLAN_VERSION STRING",
  "RUN_ID STRING NOT NULL",
  "RUN_SEQ NUMBER(38,0) NOT NULL",
  "STEP_ID STRING",
];
const LEDGER = ["RUN_EVENTS", "RUN_EVENTS_ARCHIVE", "RUN_HEADS", "CHECKPOINTS", "RUN_HEADERS", "RUN_STEPS"];
const VIEWS = ["RUN_SNAPSHOTS", "ALL_EVENTS", "RUNS", "STEP_ATTEMPTS", "FAILURES"];
const KEYED = ["RUN_EVENTS.RUN_SEQ", "RUN_EVENTS.IDEMPOTENCY_KEY", "RUN_HEADERS.LAST_EVENT_SEQ"];
const LOCKS = ["APPEND_LOCK", "PROJECTION_LOCK"];
const BY_KEY = "EQUALITY(IDEMPOTENCY_KEY)";

const sorted = (names: readonly string[]): string[] => names.toSorted();

test("standard tables are clustered and searched by key", { tags: ["R-10", "R-11"] }, async () => {
  const schema = schemaOf(await migrationScript("standard"));
  expect(sorted(Object.keys(schema.tables))).toEqual(sorted([...LEDGER, ...LOCKS, "LEDGER_MIGRATIONS"]));
  expect(schema.tables["RUN_EVENTS"]).toEqual(EVENTS);
  expect(schema.tables["RUN_EVENTS_ARCHIVE"]).toEqual(EVENTS);
  expect(schema.hybrid).toEqual([]);
  expect(schema.clustering).toEqual({
    RUN_EVENTS: "RUN_ID, PERSISTED_AT",
    RUN_HEADS: "RUN_ID",
    RUN_HEADERS: "RUN_ID",
    RUN_STEPS: "RUN_ID",
  });
  expect(schema.searchOptimization).toEqual({ RUN_EVENTS: BY_KEY });
});

test("hybrid tables have keys, and only the archive is clustered", { tags: ["R-10", "R-11"] }, async () => {
  const schema = schemaOf(await migrationScript("hybrid"));
  expect(sorted(Object.keys(schema.tables))).toEqual(sorted([...LEDGER, "LEDGER_MIGRATIONS"]));
  const keys = ["PRIMARY KEY (RUN_ID, RUN_SEQ)", "UNIQUE (RUN_ID, IDEMPOTENCY_KEY)"];
  expect(schema.tables["RUN_EVENTS"]).toEqual(sorted([...EVENTS, ...keys]));
  expect(schema.tables["RUN_EVENTS_ARCHIVE"]).toEqual(EVENTS);
  expect(sorted(schema.hybrid)).toEqual(sorted(LEDGER.filter((name) => name !== "RUN_EVENTS_ARCHIVE")));
  expect(schema.clustering).toEqual({ RUN_EVENTS_ARCHIVE: "RUN_ID, PERSISTED_AT" });
  expect(schema.searchOptimization).toEqual({ RUN_EVENTS_ARCHIVE: BY_KEY });
});

test.each(["standard", "hybrid"] as const)(
  "every %s table and view has a comment",
  { tags: ["R-10"] },
  async (shape) => {
    const { tables, views, comments } = schemaOf(await migrationScript(shape));
    expect(views).toEqual(VIEWS);
    const own = Object.keys(tables).filter((name) => name !== "LEDGER_MIGRATIONS");
    expect(sorted(Object.keys(comments))).toEqual(sorted([...own, ...VIEWS, ...KEYED]));
  },
);

test(
  "a changed column, key, cluster, search optimization or comment changes the schema",
  { tags: ["R-11"] },
  async () => {
    const script = (await migrationScript("standard")) + (await migrationScript("hybrid"));
    const before = schemaOf(script);
    const changes = [
      ["EVENT_DATA          VARIANT", "EVENT_DATA          STRING"],
      ["CLUSTER BY (RUN_ID, PERSISTED_AT)", "CLUSTER BY (PERSISTED_AT)"],
      ["ON EQUALITY(IDEMPOTENCY_KEY)", "ON EQUALITY(EVENT_ID)"],
      ["UNIQUE (RUN_ID, IDEMPOTENCY_KEY)", "UNIQUE (IDEMPOTENCY_KEY)"],
      ["CREATE HYBRID TABLE IF NOT EXISTS RUN_HEADS", "CREATE TABLE IF NOT EXISTS RUN_HEADS"],
      ["COMMENT ON TABLE RUN_STEPS IS", "-- COMMENT ON TABLE RUN_STEPS IS"],
    ] as const;
    for (const [part, other] of changes) {
      expect(script).toContain(part);
      expect(schemaOf(script.replaceAll(part, other)), other).not.toEqual(before);
    }
  },
);
