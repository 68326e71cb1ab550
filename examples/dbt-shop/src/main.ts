/** A worker that builds the shop: `node dist/main.js [folder] [request]`. With the same request it resumes the same run. */
import { resolve } from "node:path";
import { dbtRunner } from "@runledger/dbt";
import { connect } from "runledger";
import { shopWorkflow } from "./workflow.js";

const [folder = ".runledger", requestId = "dbt-shop"] = process.argv.slice(2);
const program = process.env["RUNLEDGER_DBT"] ?? "dbt";

process.once("disconnect", () => process.exit(1)); // the parent process is gone
await using ledger = await connect(`embedded:${folder}`);
const shop = shopWorkflow(resolve(folder, "shop.duckdb"));
await ledger.worker({ workflows: [shop], runners: { dbt: dbtRunner({ program }) }, leaseMs: 2_000 });
const run = await ledger.start(shop, { requestId });

console.log(`Process ${process.pid}, run ${run.id}.`);
for await (const { runSeq, eventType, stepId = "" } of run.events()) {
  console.log(`${String(runSeq).padStart(3)}  ${eventType.padEnd(14)} ${stepId}`.trimEnd());
}
console.log("\nResult:", await run.result());
process.removeAllListeners("disconnect");
if (process.connected) process.disconnect();
