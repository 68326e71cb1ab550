/** A store with a successful run of `orders`, and an MCP client on it. */
import { connect, type Ledger } from "runledger";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { onTestFinished } from "vitest";
import { McpClient, type McpOptions } from "./mcp-client.js";
import { gated, orders1, orders2, warehouse } from "./orders.js";

export interface Place {
  readonly ledger: Ledger;
  readonly env: Readonly<Record<string, string>>;
  readonly mcp: McpClient;
}

/** A store with a successful run of version 1. Workers of this process run `orders` and `gated`. */
export async function place(options: Omit<McpOptions, "env"> = {}): Promise<Place & { readonly successId: string }> {
  const database = await freshDatabase();
  const ledger = await connect(database.url);
  onTestFinished(async () => {
    warehouse.isOpen = true;
    await ledger.close();
    await database.drop();
  });
  await ledger.worker({ workflows: [orders1, orders2, gated] });
  warehouse.isOpen = true;
  const success = await ledger.start(orders1, { input: { day: 1, region: "eu" } });
  await success.result();
  const env = { RUNLEDGER_STORE: database.url };
  return { ledger, env, successId: success.id, mcp: await McpClient.connect({ env, ...options }) };
}

export async function failedRun(ledger: Ledger): Promise<string> {
  warehouse.isOpen = false;
  const run = await ledger.start(orders2, { input: { day: 2, region: "eu" } });
  await run.result().catch(() => {});
  return run.id;
}

export async function eventsOf(ledger: Ledger, runId: string) {
  return ledger.store.fetchEvents(runId);
}
