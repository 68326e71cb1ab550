/** A long run is read in memory that does not grow with it, whatever the driver would rather do. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { newEvent } from "@runledger/contracts";
import { SnowflakeStore } from "@runledger/store-snowflake";
import { expect, test } from "vitest";
import { describeWith, requireTool } from "../support/requirements.js";
import { connect } from "../../packages/store-snowflake/src/client.js";
import { parseSnowflakeUrl } from "../../packages/store-snowflake/src/connection-url.js";
import { eventColumns } from "../../packages/store-snowflake/src/event-rows.js";
import { startEmulator } from "./emulator/start.mjs";

const FIRST = 100;
const DOUBLINGS = 10;
const EVENTS = FIRST * 2 ** DOUBLINGS;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function bytesInUse(): number {
  collectGarbage();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}

const events = Array.from({ length: FIRST }, (_, index) =>
  newEvent({
    runId: "long",
    stepId: `step-${index}`,
    eventType: "StepStarted",
    planVersion: "1",
    eventData: { text: "x".repeat(500) },
  }),
);

/** Behind itself, again and again: to write that many through the store would take the emulator minutes. */
async function grow(url: string): Promise<void> {
  const db = await connect(parseSnowflakeUrl(url), 1);
  const columns = eventColumns.replace("RUN_SEQ", "RUN_SEQ + (SELECT MAX(RUN_SEQ) FROM RUN_EVENTS)");
  const again = `INSERT INTO RUN_EVENTS (${eventColumns}) SELECT ${columns} FROM RUN_EVENTS`;
  for (let doubling = 0; doubling < DOUBLINGS; doubling++) await db.script(again);
  await db.close();
}

describeWith("[S-04] streaming from Snowflake's emulator", [requireTool("python3")], () => {
  test("[S-04] 100,000 events are streamed in flat memory", { timeout: 600_000 }, async () => {
    const emulator = await startEmulator();
    const url = emulator.url("STREAMING", { shape: "standard" });
    const store = await SnowflakeStore.open({ url, gatheringWindowMs: 0 });
    await store.appendEvents(events);
    await grow(url);
    const inUse: number[] = [];
    let [seen, bytes] = [0, 0];
    for await (const event of store.streamEvents("long")) {
      if (event.runSeq !== ++seen) expect(event.runSeq).toBe(seen);
      bytes += JSON.stringify(event).length;
      if (seen % 20_000 === 0) inUse.push(bytesInUse());
    }
    const grown = inUse.at(-1)! - inUse[0]!; // while four fifths of the events went by
    console.log(
      `${seen} events of ${bytes} bytes; between the first fifth and the last, ${grown} bytes more are in use`,
    );
    expect(seen).toBe(EVENTS);
    expect(grown).toBeLessThan(bytes / 4); // what the driver has read ahead comes and goes
    await store.close();
    await emulator.stop();
  });
});
