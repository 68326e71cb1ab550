// @module-tag R-05
/** A server that goes silent stops nothing permanently: workers, schedulers, projectors, HTTP and streams. */
import { connect } from "runledger";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { startSilentProxy, type SilentProxy } from "@runledger/test-support/silent-proxy";
import { until } from "@runledger/test-support/until";
import { hello, silenceTests, ticks } from "./silence-tests.js";

let database: FreshDatabase;
let proxy: SilentProxy;
let url: string;

beforeAll(async () => {
  database = await freshDatabase();
  proxy = await startSilentProxy(database.url);
  url = `${proxy.url}?silenceTimeoutMs=2000`;
});

afterAll(async () => {
  await proxy.close();
  await database.drop();
});

silenceTests(() => ({
  url,
  steadyUrl: database.url,
  silence: () => proxy.silence("all"),
  resume: () => proxy.resume(),
}));

test("runs, schedules and followers continue when connections went silent and new ones work", async () => {
  await using ledger = await connect(url);
  await using worker = await ledger.worker({ workflows: [hello], leaseMs: 3000 });
  ledger.projector();
  ledger.scheduler();
  expect(await (await ledger.start(hello)).result()).toBe("hello");
  proxy.silence("existing");
  onTestFinished(() => proxy.resume());
  await until(() => ledger.schedules.put({ workflow: hello, id: "often", every: "1s" }).then(yes, no));
  const run = await ledger.start(hello);
  expect(await run.result()).toBe("hello");
  expect(worker.driving).toBe(0);
  await until(async () => (await ledger.store.getSnapshot(run.id))?.status === "COMPLETED");
  await until(async () => (await ticks(ledger)) > 0);
});

const yes = (): boolean => true;
const no = (): boolean => false;
