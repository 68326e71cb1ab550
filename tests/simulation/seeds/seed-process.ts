/** The process that runs seeds: executes requests and reports results. */
import { judge } from "../invariants/judge.js";
import { stepOf } from "../invariants/story.js";
import { bugs } from "../planted/bugs.js";
import type { PlantedBug } from "../planted/planted-bug.js";
import { killEverywhere } from "../replay/kill-everywhere.js";
import { isChild } from "../world/cluster.js";
import { simulate, type Simulated } from "../world/simulate.js";
import type { BugReport, SeedReport, Share, Task } from "./seed-report.js";

process.on("message", (task: Task) => {
  answer(task).then(
    () => process.disconnect(),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});

function answer(task: Task): Promise<void> {
  switch (task.type) {
    case "seeds":
      return eachSeed(task, report);
    case "kills":
      return eachSeed(task, (seed) => killEverywhere(seed, task.when));
    case "bugs":
      return findBugs(task);
  }
}

async function eachSeed({ from, to, step }: Share, work: (seed: number) => Promise<object>): Promise<void> {
  for (let seed = from; seed <= to; seed += step) process.send!(await work(seed));
}

async function report(seed: number): Promise<SeedReport> {
  const simulated = await simulate(seed);
  const { logs } = simulated.history;
  const events = logs.reduce((sum, log) => sum + log.events.length, 0);
  return { seed, events, kinds: kindsIn(simulated), hits: [...simulated.hits], broken: judge(simulated) };
}

function kindsIn({ history, plans }: Simulated): string[] {
  const kinds = history.logs.flatMap(({ runId, events }) => {
    const { plan } = (isChild(runId) ? plans.child : plans.main).compiled;
    const started = events.filter(({ eventType }) => eventType === "StepStarted");
    return started.map(({ stepId }) => stepOf(plan, stepId!).kind);
  });
  return [...new Set(kinds)];
}

async function findBugs({ names, to }: Extract<Task, { readonly type: "bugs" }>): Promise<void> {
  for (const bug of bugs.filter(({ name }) => names.includes(name))) {
    process.send!({ bug: bug.name, found: await findBug(bug, to) } satisfies BugReport);
  }
}

async function findBug(bug: PlantedBug, to: number): Promise<BugReport["found"]> {
  for (let seed = 1; seed <= to; seed++) {
    const broken = judge(await simulate(seed, bug.plant())).find(({ invariant }) => bug.breaks.includes(invariant));
    if (broken !== undefined) return { seed, broken };
  }
  return null;
}
