/**
 * A run that you kill and watch recover: `node dist/main.js [folder] [request]`. If you start it again with
 * the same request, it resumes the same run.
 */
import { connect } from "runledger";
import { crashMe } from "./workflow.js";

const [folder = ".runledger", requestId = "crash-me", stepMs = "3000"] = process.argv.slice(2);

const stopAlone = (): void => process.exit(1);
process.once("disconnect", stopAlone); // the parent process is gone
await using ledger = await connect(`embedded:${folder}`);
await ledger.worker({ workflows: [crashMe], leaseMs: 2_000 });
const run = await ledger.start(crashMe, { input: { stepMs: Number(stepMs) }, requestId });

console.log(`Process ${process.pid}, run ${run.id}.`);
console.log(`While a step runs:  kill -9 ${process.pid}  and start this again: the run resumes where it left off.\n`);
for await (const { runSeq, eventType, stepId = "" } of run.events()) {
  console.log(`${String(runSeq).padStart(3)}  ${eventType.padEnd(14)} ${stepId}`.trimEnd());
  if (eventType === "StepStarted" && stepId === "finish")
    console.log(`\nNext  runledger signal ${run.id} finish '{"by":"you"}' --store embedded:${folder}\n`);
}
console.log("\nResult:", await run.result());
console.log(`Next  start another run with another request:  node dist/main.js ${folder} again`);
process.off("disconnect", stopAlone);
if (process.connected) process.disconnect();
