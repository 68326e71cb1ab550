/** The process in which seeds run: it does what it is asked, and says what came of it. */
import { judge } from "../invariants/judge.js";
import { stepOf } from "../invariants/story.js";
import { bugs } from "../planted/bugs.js";
import { isChild } from "../world/cluster.js";
import { simulate, type Simulated } from "../world/simulate.js";
import type { BugReport, SeedReport, Task } from "./seed-report.js";

process.on("message", (task: Task) => {
  const work = task.type === "seeds" ? runSeeds(task) : findBug(task);
  work.then(
    () => process.disconnect(),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});

async function runSeeds({ from, to, step }: Extract<Task, { readonly type: "seeds" }>): Promise<void> {
  for (let seed = from; seed <= to; seed += step) process.send!(await report(seed));
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

async function findBug({ name, to }: Extract<Task, { readonly type: "bug" }>): Promise<void> {
  const bug = bugs.find((each) => each.name === name)!;
  const answer = (found: BugReport["found"]): boolean => process.send!({ bug: name, found } satisfies BugReport);
  for (let seed = 1; seed <= to; seed++) {
    const broken = judge(await simulate(seed, bug.plant())).find(({ invariant }) => bug.breaks.includes(invariant));
    if (broken !== undefined) return void answer({ seed, broken });
  }
  answer(null);
}
