// @module-tag S-09
/** Runs the conformance suite through the real driver, on the emulator. */
import { stateStoreConformance, type OptionalPort, type TestRunner } from "@runledger/store-conformance";
import { SnowflakeStore } from "@runledger/store-snowflake";
import { afterAll, beforeAll, describe, test } from "vitest";
import { describeWith, requireTool } from "@runledger/test-support/requirements";
import { startEmulator, type Emulator } from "@runledger/test-support/snowflake-emulator.mjs";
import { emptySchema } from "./empty-schema.js";

const lacks: readonly OptionalPort[] = [
  "access",
  "audit",
  "derived",
  "erasure",
  "feed",
  "index",
  "keyframes",
  "leases",
  "limits",
  "plans",
  "queue",
  "schedules",
];

/** On hybrid tables the emulator takes a minute for a seed of concurrent clients. Standard tables get all seeds. */
const withOneSeed: TestRunner = {
  describe,
  test: (name, body) => (/\(seed [2-9]\)$/.test(name) ? undefined : test(name, body)),
};

function judge(name: string, url: () => string, runner: TestRunner = { describe, test }): void {
  const open = (): Promise<SnowflakeStore> => SnowflakeStore.open({ url: url(), poolSize: 2, gatheringWindowMs: 1 });
  stateStoreConformance(name, {
    runner,
    open: () => emptySchema(url()).then(open),
    reopen: open,
    shared: true,
    lacks,
  });
}

/** A real account can be tested too: see docs/guides/snowflake.md. Its schema is emptied. */
const account = process.env["RUNLEDGER_TEST_SNOWFLAKE"];
if (account !== undefined && account !== "") judge("SnowflakeStore on an account", () => account);

describeWith("on Snowflake's emulator", [requireTool("python3")], () => {
  let emulator: Emulator;

  beforeAll(async () => void (emulator = await startEmulator()), 600_000);
  afterAll(() => emulator.stop());

  describe.each(["hybrid", "standard"] as const)("%s tables", { tags: ["S-02"] }, (shape) => {
    const runner = shape === "hybrid" ? withOneSeed : { describe, test };
    judge(`SnowflakeStore with ${shape} tables`, () => emulator.url(`STORE_${shape}`, { shape }), runner);
  });
});
