/**
 * `npm run example:dbt` shows a dbt run that survives: a worker is killed with -9 while dbt runs a model, and another one runs
 * only the nodes that had not finished.
 */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { connect, type CanonicalEngineEvent } from "runledger";
import { shopWorkflow } from "./workflow.js";

const folder = process.argv[2] ?? ".runledger";
const requestId = `dbt-shop-${new Date().toISOString()}`;

interface WorkerProcess {
  readonly process: ChildProcess;
  readonly ended: Promise<unknown>;
}

function startWorker(): WorkerProcess {
  const main = fileURLToPath(new URL("./main.js", import.meta.url));
  const worker = fork(main, [folder, requestId], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  console.log(`      worker ${worker.pid} runs dbt`);
  worker.once("exit", (code) => code !== null && code !== 0 && process.exit(code)); // it has printed the reason
  return { process: worker, ended: once(worker, "exit") };
}

function show({ runSeq, eventType, stepId = "", eventData }: CanonicalEngineEvent): void {
  const { output } = eventData as { readonly output?: unknown };
  const line = `${String(runSeq).padStart(3)}   ${eventType.padEnd(14)} ${stepId} `;
  console.log(eventType === "StepCompleted" && output !== undefined ? line + JSON.stringify(output) : line.trimEnd());
}

await using ledger = await connect(`embedded:${folder}`);
const run = await ledger.start(shopWorkflow(resolve(folder, "shop.duckdb")), { requestId });
console.log(`\nA dbt run that survives: ${run.id}\n`);
let worker = startWorker();
let isKilled = false;
for await (const event of run.events()) {
  show(event);
  if (event.eventType !== "StepStarted" || event.stepId !== "build/model.shop.order_lines" || isKilled) continue;
  isKilled = true;
  worker.process.kill("SIGKILL");
  console.log(`      kill -9 ${worker.process.pid}, while dbt built order_lines`);
  worker = startWorker();
}
console.log("\nResult:", await run.result());
await worker.ended;
console.log(`
Next  show it   npx runledger events ${run.id} --store embedded:${folder}
      read on   docs/guides/dbt.md`);
