/**
 * `node dist/story.js` shows a crash from outside. A process works on a run and is killed with -9; another one takes over the run,
 * which waits for a signal, receives it and completes.
 */
import { fork, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { connect, type CanonicalEngineEvent } from "runledger";
import { crashMe } from "./workflow.js";

const folder = process.argv[2] ?? ".runledger";
const requestId = `npm-start-${new Date().toISOString()}`;
const STEP_MS = 1_500;

/** Runs the example first-run, which appends events without the engine. */
async function firstRun(): Promise<void> {
  const program = fileURLToPath(new URL("../../first-run/dist/main.js", import.meta.url));
  const [code] = (await once(spawn(process.execPath, [program, folder], { stdio: "inherit" }), "exit")) as [number];
  if (code !== 0) process.exit(code);
}

interface WorkerProcess {
  readonly process: ChildProcess;
  readonly ended: Promise<unknown>;
}

function startWorker(): WorkerProcess {
  const main = fileURLToPath(new URL("./main.js", import.meta.url));
  const worker = fork(main, [folder, requestId, String(STEP_MS)], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  console.log(`      process ${worker.pid} works on it`);
  worker.once("exit", (code) => code !== null && code !== 0 && process.exit(code)); // it has printed the reason
  return { process: worker, ended: once(worker, "exit") };
}

function show({ runSeq, eventType, stepId = "", eventData }: CanonicalEngineEvent): void {
  const { output } = eventData as { readonly output?: unknown };
  const line = `${String(runSeq).padStart(3)}   ${eventType.padEnd(14)} ${stepId.padEnd(7)} `;
  console.log(eventType === "StepCompleted" && output !== undefined ? line + JSON.stringify(output) : line.trimEnd());
}

async function story(): Promise<void> {
  await using ledger = await connect(`embedded:${folder}`);
  const run = await ledger.start(crashMe, { input: { stepMs: STEP_MS }, requestId });
  console.log(`\nA run that survives: ${run.id}\n`);
  let worker = startWorker();
  let killed = false;
  for await (const event of run.events()) {
    show(event);
    const isStart = event.eventType === "StepStarted";
    if (isStart && event.stepId === "two" && !killed) {
      killed = true;
      worker.process.kill("SIGKILL");
      console.log(`      kill -9 ${worker.process.pid}, while step two was running`);
      worker = startWorker();
    }
    if (isStart && event.stepId === "finish") {
      console.log("      the run waits for the signal finish and holds no process; sending it now");
      await run.signal("finish", { by: "the story" });
    }
  }
  console.log("\nResult:", await run.result());
  await worker.ended;
  console.log(`
Next  show it         npx runledger events ${run.id} --store embedded:${folder}
      crash it        node examples/crash-me/dist/main.js ${folder}   (it prints how)
      write your own  docs/guides/model-a-pipeline.md`);
}

await firstRun();
await story();
