// @module-tag R-07
/** C25b: a fork whose kept events are large is stored over a slow link, and holds no lock while they are sent. */
import { expect, onTestFinished, test } from "vitest";
import { newEvent } from "@runledger/contracts";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { startSilentProxy } from "@runledger/test-support/silent-proxy";
import { PostgresStore } from "./index.js";

const MEGABYTE = 1_000_000;
const plan = { planId: "plan", planVersion: "1" };

function startOf(runId: string, kept: number) {
  const event = newEvent({ runId, eventType: "RunQueued", ...plan });
  const eventData = { output: "x".repeat(200_000) };
  const steps = Array.from({ length: kept }, (_, index) =>
    newEvent({ runId, stepId: `step-${index}`, eventType: "StepCompleted", eventData, ...plan }),
  );
  const start = { event, tenantId: "default", startKey: runId, inputHash: "hash", logFormat: 1, priority: 0 };
  return { ...start, ...(kept > 0 && { kept: steps }) };
}

test("a large fork over a slow link is stored, and other starts do not wait for it", async () => {
  const database = await freshDatabase();
  const proxy = await startSilentProxy(database.url);
  const urls = [proxy.url, database.url];
  const [slow, fast] = await Promise.all(urls.map((url) => PostgresStore.open({ url, poolSize: 1 })));
  onTestFinished(async () => {
    await Promise.all([slow!.close(), fast!.close()]);
    await proxy.close();
    await database.drop();
  });
  // A connection that knows the statements sends large values first: to the server, its transaction is idle meanwhile.
  await slow!.queue.startRun(startOf("small", 1));
  proxy.limit(MEGABYTE); // per second
  let isStored = false;
  const forking = slow!.queue.startRun(startOf("fork", 25)).finally(() => (isStored = true));
  await fast!.queue.startRun(startOf("other", 0));
  expect(isStored).toBe(false);
  expect(await forking).toMatchObject({ runId: "fork", created: true });
  expect((await fast!.fetchHeads(["fork"]))[0]).toMatchObject({ headSeq: 26 });
});
