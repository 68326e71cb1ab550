/** The contract through the real driver, on the emulator. */
import { stateStoreConformance, type OptionalPort } from "@runledger/store-conformance";
import { SnowflakeStore } from "@runledger/store-snowflake";
import { afterAll, beforeAll, describe, test } from "vitest";
import { describeWith, requireTool } from "../support/requirements.js";
import { startEmulator, type Emulator } from "./emulator/start.mjs";
import { emptySchema } from "./empty-schema.js";

const lacks: readonly OptionalPort[] = [
  "access",
  "audit",
  "derived",
  "feed",
  "index",
  "keyframes",
  "leases",
  "limits",
  "plans",
  "queue",
  "schedules",
];

function judge(name: string, url: () => string): void {
  const open = (): Promise<SnowflakeStore> => SnowflakeStore.open({ url: url(), poolSize: 2, gatheringWindowMs: 1 });
  stateStoreConformance(name, {
    runner: { describe, test },
    open: () => emptySchema(url()).then(open),
    reopen: open,
    shared: true,
    lacks,
  });
}

/** Whoever names an account has it judged as well: docs/guides/snowflake.md. Its schema is emptied. */
const account = process.env["RUNLEDGER_TEST_SNOWFLAKE"];
if (account !== undefined && account !== "") judge("SnowflakeStore on an account", () => account);

describeWith("[S-09] on Snowflake's emulator", [requireTool("python3")], () => {
  let emulator: Emulator;

  beforeAll(async () => void (emulator = await startEmulator()), 600_000);
  afterAll(() => emulator.stop());

  describe.each(["hybrid", "standard"] as const)("[S-02] %s tables", (shape) => {
    judge(`[S-09] SnowflakeStore with ${shape} tables`, () => emulator.url(`STORE_${shape}`, { shape }));
  });
});
