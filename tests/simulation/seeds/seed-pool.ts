/** Runs seeds on all cores: bundles the simulation once, and each process runs its share. */
import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { bundledProgram } from "@runledger/test-support/bundled-program";
import type { KillReport, When } from "../replay/kill-everywhere.js";
import type { BugReport, SeedReport, Share, Task } from "./seed-report.js";

const PROGRAM = "tests/simulation/seeds/seed-process.ts";
/** A large young generation: almost everything that a seed allocates is garbage. */
const YOUNG = ["--max-semi-space-size=32"];

/** Runs seeds `from` to `to`; reports arrive in any order. */
export function runSeeds(from: number, to: number): Promise<SeedReport[]> {
  return inProcesses<SeedReport>(shares(from, to).map((share) => ({ type: "seeds", ...share })));
}

/** Runs the plans of these seeds, killed at every append. */
export function killEverywhere(from: number, to: number, when: When): Promise<KillReport[]> {
  return inProcesses<KillReport>(shares(from, to).map((share) => ({ type: "kills", when, ...share })));
}

/** Runs each bug with seeds from 1 on until one finds it. */
export function findBugs(names: readonly string[], to: number): Promise<BugReport[]> {
  const count = availableParallelism();
  const share = (place: number): string[] => names.filter((_, index) => index % count === place);
  const tasks = places(count).map((place): Task => ({ type: "bugs", names: share(place), to }));
  return inProcesses<BugReport>(tasks);
}

function shares(from: number, to: number): Share[] {
  const step = availableParallelism();
  return places(step).map((place) => ({ from: from + place, to, step }));
}

function places(count: number): number[] {
  return Array.from({ length: count }, (_, place) => place);
}

async function inProcesses<T>(tasks: readonly Task[]): Promise<T[]> {
  const file = await bundledProgram(PROGRAM);
  const answers = await Promise.all(tasks.map((task) => inProcess<T>(file, task)));
  return answers.flat();
}

function inProcess<T>(file: string, task: Task): Promise<T[]> {
  const child = fork(file, { stdio: ["ignore", "inherit", "inherit", "ipc"], execArgv: YOUNG });
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
