// @module-tag H-30
// @module-tag S-10
/** Generates the table of what each store can do from their declarations, and compares their folders. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Capabilities, StateStore } from "@runledger/contracts";
import { DynamoStore } from "@runledger/store-dynamodb";
import { MemoryStore } from "@runledger/store-memory";
import { PostgresStore } from "@runledger/store-postgres";
import { SnowflakeStore } from "@runledger/store-snowflake";
import { expect, test } from "vitest";
import { FileStore } from "../../examples/file-store/src/file-store.js";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { dynamoVariables } from "@runledger/test-support/dynamodb-local";
import { startDynamoStub } from "@runledger/test-support/dynamodb-stub";
import { startStub } from "@runledger/test-support/snowflake-stub";
import { freshDatabase } from "@runledger/test-support/fresh-database";

const HEADING = `# What each store can do

Generated from the declarations of the stores (\`store.capabilities\` and their ports) by
\`npx vitest run tests/repository/stores.test.ts -u\`. [The conformance suite](../../packages/store-conformance/README.md) tests the ports
that a store has. The duration of an append is an order of magnitude; Snowflake's is an estimate, because no account was available.
[The benchmarks](../../bench/RESULTS.md) have measured values.

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
  ["outbox", (store) => yes(store.outbox !== undefined)],
  ["archive", (store) => yes(store.archive !== undefined)],
  ["retention", (store) => yes(store.retention !== undefined)],
  ["expiry of artifacts", (store) => yes(store.expiry !== undefined)],
  ["triggers", (store) => yes(store.triggers !== undefined)],
  ["alerts of all processes", (store) => yes(store.alerts !== undefined)],
  ["erasure", (store) => yes(store.erasure !== undefined)],
  ["copies", (store) => yes(store.copies !== undefined)],
  ["largest payload", of(({ maxPayloadBytes }) => `${maxPayloadBytes / 1024} KB`)],
  [
    "gathering window of appends",
    of(({ gatheringWindowMs }) => (gatheringWindowMs === 0 ? "none" : `${gatheringWindowMs} ms`)),
  ],
  ["typical append", of(({ typicalAppendMs }) => `${typicalAppendMs} ms`)],
  ["lag of readers", of(({ lagMs }) => (lagMs === 0 ? "none" : `${lagMs / 1000} s`))],
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

test("the capability table matches the declarations of the stores", async () => {
  const [database, numbered] = [await freshDatabase(), await freshDatabase({ migrated: false })];
  const stub = await startStub(() => ({
    rows: ["1", "2", "3", "4"].map((id) => [id, "1", "hybrid"]),
    types: ["fixed", "fixed", "text"],
  }));
  const dynamo = await startDynamoStub();
  Object.assign(process.env, dynamoVariables);
  const folder = mkdtempSync(join(tmpdir(), "stores-"));
  const stores = {
    PostgreSQL: await PostgresStore.open({ url: database.url }),
    "PostgreSQL, `authority=sequence` or `redis`": await PostgresStore.open({
      url: numbered.url,
      authority: "sequence",
    }),
    Snowflake: await SnowflakeStore.open({ url: stub.url }),
    DynamoDB: await DynamoStore.open({ endpoint: dynamo.endpoint, table: "stores", migrate: false }),
    memory: new MemoryStore(),
    "files (example)": await FileStore.open({ folder }),
  };
  const page = `${HEADING}${table(stores)}\n`;
  for (const store of Object.values(stores)) await store.close();
  await stub.stop();
  await Promise.all([dynamo.stop(), database.drop(), numbered.drop()]);
  rmSync(folder, { recursive: true });
  await expect(page).toMatchFileSnapshot(inRepository("docs/reference/stores.md"));
});

const sources = (adapter: string): string[] =>
  readdirSync(inRepository(`packages/${adapter}/src`)).filter((name) => /^[\w-]+\.ts$/.test(name));

/** Files that only one adapter has, and why. All others have the same name and purpose. */
const onlySnowflake = {
  "append-lock.ts": "a row that writers of standard tables update first, and its fence",
  "append-results.ts": "answers that procedures inside Snowflake read as well",
  "connection-url.ts": "an address that names a warehouse and a role",
  "driver.ts": "a driver that is loaded only when it is needed",
  "load-locks.ts": "locks that are loaded only when several processes write to standard tables",
  "locked-writes.ts": "transactions under such a lock",
  "sessions.ts": "a pool of sessions: the driver has none that throws away what is broken",
  "session-tables.ts": "tables that only a session sees, in place of parameters that are arrays",
  "writers.ts": "a consistency that several writers need",
};
const onlyPostgres = {
  queueAndLeases:
    /^(leases|limits|plans|queue-[\w-]+|schedules|unserved-plans|access|audit|audit-rows|artifacts|open-snapshots)\.ts$/,
  feedAndIndex:
    /^(change-feed|feed-\w+|list-behind|fetch-runs|run-index|index-rows|run-counts|keyframes|derived-data)\.ts$/,
  outbox: /^(outbox|subscriptions|deliveries|dead-letters)\.ts$/,
  triggers: /^triggers\.ts$/,
  alerts: /^alerts\.ts$/,
  datasets: /^datasets\.ts$/,
  retention: /^(retention|expiry|erasure|delete-run|sweep-deleted|purge)\.ts$/,
  waysToAppend: /^(append-fast|arrays)\.ts$/,
  silentServers: /^(connection|pool|probe|time-limits|watch)\.ts$/,
  otherAuthorities: /^(append-drawn|authority|expect-numbers|redis-counters|run-sequences|settling)\.ts$/,
  gapsInTheLog: /^(append-drawn|authority|expect-numbers|redis-counters|run-sequences|settling)\.ts$/,
  physicalLayout: /^(optional-indexes|partitions)\.ts$/,
};

test("the folders of the adapters have the same file names, except for the listed ones", { tags: ["S-11"] }, () => {
  const [postgres, snowflake] = [sources("store-postgres"), sources("store-snowflake")];
  expect(snowflake.filter((name) => !postgres.includes(name))).toEqual(Object.keys(onlySnowflake).sort());
  const missing = postgres.filter((name) => !snowflake.includes(name));
  const explained = Object.values(onlyPostgres);
  expect(missing.filter((name) => !explained.some((pattern) => pattern.test(name)))).toEqual([]);
});

/** Files that PostgreSQL has and DynamoDB does not, and why. */
const notInDynamoDb = {
  statements:
    /^(append-(columns|fast|slow)|arrays|audit-rows|event-rows|instants|lease-fence|verdict-holds|run-counts)\.ts$/,
  oneStatementPerBatch: /^(queue-start-(batches|fork|many)|list-behind)\.ts$/,
  connections: /^(connection|pool|probe|time-limits|watch|open-snapshots)\.ts$/,
  gapsInTheLog: /^(append-drawn|authority|expect-numbers|redis-counters|run-sequences|settling)\.ts$/,
  physicalLayout: /^(optional-indexes|partitions|feed-holes)\.ts$/,
  indexOfDatasets: /^datasets\.ts$/,
  expiryOfArtifacts: /^expiry\.ts$/,
};

test("DynamoDB has a file for every port under the name that PostgreSQL uses", { tags: ["H-01"] }, () => {
  const [postgres, dynamo] = [sources("store-postgres"), sources("store-dynamodb")];
  const missing = postgres.filter((name) => !dynamo.includes(name));
  const explained = Object.values(notInDynamoDb);
  expect(missing.filter((name) => !explained.some((pattern) => pattern.test(name)))).toEqual([]);
  for (const pattern of explained) expect(missing.some((name) => pattern.test(name))).toBe(true);
});

test(
  "DynamoDB has every port that PostgreSQL has, except the index of datasets and the expiry of artifacts",
  { tags: ["H-01"] },
  async () => {
    const database = await freshDatabase();
    const dynamo = await startDynamoStub();
    Object.assign(process.env, dynamoVariables);
    const postgres = await PostgresStore.open({ url: database.url });
    const store = await DynamoStore.open({ endpoint: dynamo.endpoint, table: "stores", migrate: false });
    const isMissing = (name: string): boolean => name !== "settling" && !(name in store); // its log has no gaps
    const ports = Object.keys(postgres).filter(isMissing);
    for (const each of [postgres, store]) await each.close();
    await dynamo.stop();
    await database.drop();
    expect(ports.toSorted()).toEqual(["datasets", "expiry"]);
  },
);
