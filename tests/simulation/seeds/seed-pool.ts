/** Seeds on all cores: the simulation is bundled once, and each process runs its share. */
import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { bundledProgram } from "../../support/bundled-program.js";
import type { BugReport, SeedReport, Task } from "./seed-report.js";

const PROGRAM = "tests/simulation/seeds/seed-process.ts";

/** Seeds `from` to `to`, in no particular order. */
export async function runSeeds(from: number, to: number): Promise<SeedReport[]> {
  const step = availableParallelism();
  const tasks = Array.from({ length: step }, (_, place): Task => ({ type: "seeds", from: from + place, to, step }));
  const reports = await Promise.all(tasks.map((task) => inProcess<SeedReport>(task)));
  return reports.flat();
}

/** Each bug with seeds from 1 on, until one finds it. */
export async function findBugs(names: readonly string[], to: number): Promise<BugReport[]> {
  const left = [...names];
  const found: BugReport[] = [];
  const worker = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      found.push(...(await inProcess<BugReport>({ type: "bug", name, to })));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return found;
}

async function inProcess<T>(task: Task): Promise<T[]> {
  const child = fork(await bundledProgram(PROGRAM), { stdio: ["ignore", "inherit", "inherit", "ipc"], execArgv: [] });
  const answers: T[] = [];
  child.on("message", (answer) => answers.push(answer as T));
  child.send(task);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code === 0) resolve(answers);
      else reject(new Error(`A process of the simulation ended with ${code}.`));
    });
  });
}
