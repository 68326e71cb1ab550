/** Seeds on all cores: the simulation is bundled once, and each process runs its share. */
import { fork } from "node:child_process";
import { mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { build } from "esbuild";
import { inRepository } from "../../../scripts/lib/repository.mjs";
import type { BugReport, SeedReport, Task } from "./seed-report.js";

let bundled: Promise<string> | null = null;

/** Sources as they are: nothing has to be built before. Inside the repository, so that packages are found. */
function bundle(): Promise<string> {
  bundled ??= (async () => {
    const folder = inRepository("node_modules/.cache/runledger-simulation");
    mkdirSync(folder, { recursive: true });
    const outfile = `${folder}/seed-process-${process.pid}.mjs`;
    await build({
      entryPoints: [inRepository("tests/simulation/seeds/seed-process.ts")],
      tsconfig: inRepository("tsconfig.check.json"),
      external: ["pg"],
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      outfile,
      logLevel: "warning",
    });
    return outfile;
  })();
  return bundled;
}

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
  const child = fork(await bundle(), { stdio: ["ignore", "inherit", "inherit", "ipc"], execArgv: [] });
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
