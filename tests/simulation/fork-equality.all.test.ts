// @module-tag E-17
/**
 * Forks generated plans from every step that ran. The outcome of a step depends only on its name, so a fork must finish like
 * its origin, step by step, without running any step that it kept.
 */
import { RunledgerError, type RunSnapshot } from "@runledger/contracts";
import { checkHistory } from "@runledger/store-conformance";
import { testLedger, type TestLedger, type TestRun } from "runledger/testing";
import { expect, test } from "vitest";
import type { Runner } from "@runledger/runtime/engine/runners";
import { turnOfToday } from "./seeds/turn-of-today.js";
import { generatePlan, type GeneratedPlan } from "./world/generated-plan.js";

/** Each day uses another quarter of the plans. */
const PLANS = 4;
const FIRST = 1 + turnOfToday(4) * PLANS;
/** Number of steps inside containers to fork from, per plan. */
const INNER = 6;

class World {
  readonly #child: GeneratedPlan;
  readonly #plan: GeneratedPlan;
  /** The executed steps of each run. */
  readonly ran = new Map<string, Set<string>>();
  ledger!: TestLedger;

  constructor(seed: number) {
    const now = (): number => this.ledger.now().getTime();
    this.#child = generatePlan(seed + 1_000_000, { now, id: "child", size: 2, races: false, attended: false });
    this.#plan = generatePlan(seed, { now, child: this.#child, size: 6, races: false });
  }

  async open(): Promise<void> {
    const runners = { function: this.#perform, command: this.#perform, sql: this.#perform, http: this.#perform };
    this.ledger = await testLedger({ workflows: [this.#plan.workflow, this.#child.workflow], runners });
  }

  async origin(): Promise<TestRun> {
    return this.#attended(await this.ledger.start(this.#plan.workflow, undefined as never));
  }

  async fork(run: TestRun, from: string): Promise<TestRun> {
    return this.#attended(await this.ledger.fork(run, { from }));
  }

  /** Sends every signal that the run might wait for. The run may finish without some of them. */
  async #attended(run: TestRun): Promise<TestRun> {
    const { compiled, signals } = this.#plan;
    if (compiled.plan.approval) await run.act("APPROVE");
    for (const [name, count] of signals) {
      for (let place = 0; place < count; place++)
        await this.ledger.signal(run, name, { by: "me" }).catch((error: unknown) => {
          if (!(error instanceof RunledgerError) || error.code !== "SIGNAL_REJECTED") throw error;
        });
    }
    await run.ended();
    return run;
  }

  readonly #perform: Runner = async ({ step, context: { runId, stepId, attempt, signal } }) => {
    this.ran.set(runId, (this.ran.get(runId) ?? new Set()).add(stepId));
    const { script } = runId.startsWith("run_") ? this.#child : this.#plan;
    const { end } = script.attempt("any run", stepId, attempt, step.timeoutMs !== undefined);
    if (end === "hang")
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    if (end !== "ok") throw Object.assign(new Error(`It does ${end}.`), { code: end === "fatal" ? "FATAL" : "FLAKY" });
    return { from: stepId };
  };
}

/** The state that a fork shares with its origin; attempts and wait times differ. */
function essence({ status, steps, state, culprit }: RunSnapshot) {
  const each = steps.map((step) => [step.stepId, step.status, step.culprit, step.opened?.branch, step.opened?.count]);
  return { status, state, culprit, steps: each.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)) };
}

/** All top-level steps and some inside containers. A pass of a repeat is not a step. */
function placesIn({ steps }: RunSnapshot): string[] {
  const ids = steps.map(({ stepId }) => stepId).filter((stepId) => stepId.split("/").length % 2 === 1);
  const inner = ids.filter((stepId) => stepId.includes("/"));
  const every = Math.max(1, Math.floor(inner.length / INNER));
  return [...ids.filter((stepId) => !stepId.includes("/")), ...inner.filter((_, index) => index % every === 0)];
}

/** An earlier step may run again together with its container. */
function onlyIfInside(stepId: string): (error: unknown) => null {
  return (error) => {
    if (error instanceof RunledgerError && error.code === "FORK_INVALID" && stepId.includes("/")) return null;
    throw error;
  };
}

test(`${PLANS} generated plans: a fork from any step finishes like its origin and runs no kept step`, async () => {
  let [forks, kept] = [0, 0];
  for (let seed = FIRST; seed < FIRST + PLANS; seed++) {
    const world = new World(seed);
    await world.open();
    const origin = await world.origin();
    const snapshot = await origin.snapshot();
    for (const stepId of placesIn(snapshot)) {
      const fork = await world.fork(origin, stepId).catch(onlyIfInside(stepId));
      if (fork === null) continue;
      const forked = await fork.snapshot();
      expect(essence(forked), `seed ${seed} from ${stepId}`).toEqual(essence(snapshot));
      const keeps = forked.steps.filter((step) => step.kept !== undefined).map((step) => step.stepId);
      expect(keeps.filter((each) => world.ran.get(fork.id)?.has(each))).toEqual([]);
      forks++;
      kept += keeps.length;
    }
    expect(checkHistory(await world.ledger.history()).violations).toEqual([]);
    await world.ledger.close();
  }
  console.log(`${forks} forks kept ${kept} steps`);
  expect(kept).toBeGreaterThan(forks);
}, 900_000);
