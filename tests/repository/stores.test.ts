/** What each store can do, asked of the stores themselves, and how their folders differ. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Capabilities, StateStore } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { PostgresStore } from "@runledger/store-postgres";
import { SnowflakeStore } from "@runledger/store-snowflake";
import { expect, test } from "vitest";
import { FileStore } from "../../examples/file-store/src/file-store.js";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { startStub } from "../snowflake/http-stub.js";
import { freshDatabase } from "../support/fresh-database.js";

const HEADING = `# What each store can do

Every store declares this as data (\`store.capabilities\`, and the ports that it has); this page is made from it, by
\`npx vitest run tests/repository/stores.test.ts -u\`. What a store has is judged by
[the conformance suite](../../packages/store-conformance/README.md). How long an
append takes is an order of magnitude that the store declares, and Snowflake's an estimate: no account was at hand.
[The benchmarks](../../bench/RESULTS.md) have what was measured.

`;

type Column = readonly [title: string, cell: (store: StateStore) => string];

const yes = (is: boolean): string => (is ? "yes" : "no");
const of = (cell: (capabilities: Capabilities) => string) => (store: StateStore) => cell(store.capabilities);

const columns: readonly Column[] = [
  ["contiguous `runSeq`", of(({ contiguous }) => yes(contiguous))],
  ["durable", of(({ durable }) => yes(durable))],
  ["batch atomicity, events per run and call", of(({ maxEventsPerRunAndCall: most }) => String(most ?? "all"))],
  ["fencing", (store) => (store.leases === undefined ? "`expectedSeq`" : "`expectedSeq` and leases")],
  ["checkpoint in the append", of(({ checkpointInAppend }) => yes(checkpointInAppend))],
  ["queue and leases", (store) => yes(store.queue !== undefined && store.leases !== undefined)],
  ["run index", (store) => yes(store.index !== undefined)],
  ["change feed", (store) => yes(store.feed !== undefined)],
  ["archive", (store) => yes(store.archive !== undefined)],
  ["copies", (store) => yes(store.copies !== undefined)],
  ["largest payload", of(({ maxPayloadBytes }) => `${maxPayloadBytes / 1024} KB`)],
  [
    "gathers appends for",
    of(({ gatheringWindowMs }) => (gatheringWindowMs === 0 ? "no time" : `${gatheringWindowMs} ms`)),
  ],
  ["an append takes about", of(({ typicalAppendMs }) => `${typicalAppendMs} ms`)],
  ["readers are behind by up to", of(({ lagMs }) => (lagMs === 0 ? "nothing" : `${lagMs / 1000} s`))],
];

function table(stores: Readonly<Record<string, StateStore>>): string {
  const rows = [
    ["", ...Object.keys(stores)],
    ...columns.map(([title, cell]) => [title, ...Object.values(stores).map(cell)]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(3, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[], fill = " "): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!, fill)).join(" | ")} |`;
  const [head, ...body] = rows;
  return [
    line(head!),
    line(
      head!.map(() => ""),
      "-",
    ),
    ...body.map((row) => line(row)),
  ].join("\n");
}

test("[S-10] the capability table says what the stores say", async () => {
  const database = await freshDatabase();
  const stub = await startStub(() => ({
    rows: ["1", "2", "3", "4"].map((id) => [id, "1", "hybrid"]),
    types: ["fixed", "fixed", "text"],
  }));
  const folder = mkdtempSync(join(tmpdir(), "stores-"));
  const stores = {
    PostgreSQL: await PostgresStore.open({ url: database.url }),
    Snowflake: await SnowflakeStore.open({ url: stub.url }),
    memory: new MemoryStore(),
    "files (example)": await FileStore.open({ folder }),
  };
  const page = `${HEADING}${table(stores)}\n`;
  for (const store of Object.values(stores)) await store.close();
  await stub.stop();
  await database.drop();
  rmSync(folder, { recursive: true });
  await expect(page).toMatchFileSnapshot(inRepository("docs/reference/stores.md"));
});

const sources = (adapter: string): string[] =>
  readdirSync(inRepository(`packages/${adapter}/src`)).filter((name) => /^[\w-]+\.ts$/.test(name));

/** What one adapter has and the other has not, and why: everything else has the same name and does the same. */
const onlySnowflake = {
  "append-answers.ts": "answers that procedures inside Snowflake read as well",
  "connection-url.ts": "an address that names a warehouse and a role",
  "driver.ts": "a driver that is loaded only when it is needed",
  "sessions.ts": "a pool of sessions: the driver has none that throws away what is broken",
  "session-tables.ts": "tables that only a session sees, in place of parameters that are arrays",
  "writers.ts": "a consistency that several writers need",
};
const onlyPostgres = {
  queueAndLeases:
    /^(leases|limits|plans|queue-[\w-]+|run-starter|schedules|start-kept|unserved-plans|access|audit|artifacts)\.ts$/,
  feedAndIndex: /^(change-feed|feed-\w+|fetch-runs|run-index|index-rows|run-counts|keyframes|derived-data)\.ts$/,
  waysToAppend: /^(append-fast|arrays)\.ts$/,
};

test("[S-11] the folders of the adapters hold the same names, but for what a table names", () => {
  const [postgres, snowflake] = [sources("store-postgres"), sources("store-snowflake")];
  expect(snowflake.filter((name) => !postgres.includes(name))).toEqual(Object.keys(onlySnowflake).sort());
  const missing = postgres.filter((name) => !snowflake.includes(name));
  const explained = Object.values(onlyPostgres);
  expect(missing.filter((name) => !explained.some((pattern) => pattern.test(name)))).toEqual([]);
});
