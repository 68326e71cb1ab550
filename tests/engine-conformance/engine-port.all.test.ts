// @module-tag T-02
import { temporalEngine } from "@runledger/engine-temporal";
import { PostgresStore } from "@runledger/store-postgres";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { describeWith } from "@runledger/test-support/requirements";
import { startAnyTemporal } from "@runledger/test-support/java-test-server";
import { requireAnyTemporal } from "@runledger/test-support/temporal-provisioning";
import { onTestFinished, test } from "vitest";
import { checkPort, startPort } from "./engine-port.js";

describeWith("the port of an engine on a Temporal server", [requireAnyTemporal], () => {
  test("a cluster starts, wakes, cancels and reconciles runs when the ledger calls it", async () => {
    const server = await startAnyTemporal();
    const database = await freshDatabase();
    const store = await PostgresStore.open({ url: database.url });
    const running = await startPort(temporalEngine({ address: server.address, taskQueue: "port" }), store);
    onTestFinished(async () => {
      await running.stop();
      await store.close();
      await database.drop();
      await server.stop();
    });
    await checkPort(running, store);
  });
});
