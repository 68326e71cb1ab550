// @module-tag S-04
/** Reading a long run needs memory that does not grow with the run, although the driver buffers results. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { newEvent } from "@runledger/contracts";
import { SnowflakeStore } from "@runledger/store-snowflake";
import { expect, test } from "vitest";
import { describeWith, requireTool } from "@runledger/test-support/requirements";
import { connect } from "../src/client.js";
import { parseSnowflakeUrl } from "../src/connection-url.js";
import { eventColumns } from "../src/event-rows.js";
import { startEmulator } from "@runledger/test-support/snowflake-emulator.mjs";

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

/** Appends copies of the run to itself: writing that many through the store would take the emulator minutes. */
async function grow(url: string): Promise<void> {
  const db = await connect(parseSnowflakeUrl(url), 1);
  const columns = eventColumns.replace("RUN_SEQ", "RUN_SEQ + (SELECT MAX(RUN_SEQ) FROM RUN_EVENTS)");
  const again = `INSERT INTO RUN_EVENTS (${eventColumns}) SELECT ${columns} FROM RUN_EVENTS`;
  for (let doubling = 0; doubling < DOUBLINGS; doubling++) await db.script(again);
  await db.close();
}

describeWith("streaming from Snowflake's emulator", [requireTool("python3")], () => {
  test("100,000 events are streamed in flat memory", { timeout: 600_000 }, async () => {
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
    const grown = inUse.at(-1)! - inUse[0]!; // while four fifths of the events were read
    console.log(
      `${seen} events of ${bytes} bytes; between the first fifth and the last, ${grown} bytes more are in use`,
    );
    expect(seen).toBe(EVENTS);
    expect(grown).toBeLessThan(bytes / 2); // kept events would take four fifths or more; the driver's read-ahead varies
    await store.close();
    await emulator.stop();
  });
});
