/** Workers on a virtual clock and one store. They die, are suspended, and are replaced. */
import type { FullStateStore } from "@runledger/contracts";
import { childRuns } from "@runledger/runtime/engine/children";
import type { Children } from "@runledger/runtime/engine/engine-deps";
import type { NewDecider } from "@runledger/runtime/engine/decider";
import type { Runner } from "@runledger/runtime/engine/runners";
import type { Timers } from "@runledger/runtime/time/timers";
import { EngineWorker, type Fault } from "@runledger/runtime/engine/worker";
import type { HistoryRecorder } from "@runledger/runtime/testing/history-recorder";
import { interceptStore, type Around } from "@runledger/runtime/testing/intercept-store";
import { VirtualProcess } from "@runledger/runtime/testing/virtual-process";
import type { VirtualTime } from "@runledger/runtime/testing/virtual-time";
import type { CompiledWorkflow } from "@runledger/runtime/workflow/compiled-workflow";
import type { BusyMoments } from "./busy-moments.js";
import type { FaultSource } from "./faults.js";
import type { GeneratedPlan } from "./generated-plan.js";
import type { Random } from "./random.js";
import type { Behaviour } from "./step-script.js";
import { unreliableLine } from "./unreliable-store.js";

const LEASE_MS = 3000;
const POLL_MS = 800;
/** Number of graceful stops per seed, as in a deployment. */
const MOST_STOPS = 2;

export interface Execution {
  readonly worker: string;
  readonly runId: string;
  readonly stepId: string;
  readonly attempt: number;
  /** The outputs that the step received. */
  readonly needs: Readonly<Record<string, unknown>>;
}

/** Parts that a planted bug replaces. */
export interface Variant {
  /** Wraps all calls right before the store. */
  readonly store?: (store: FullStateStore) => Around;
  /** Wraps a worker's calls before they are sent. */
  readonly sends?: (store: FullStateStore) => Around;
  readonly newDecider?: NewDecider;
  /** The workflow that workers register. */
  readonly compiled?: (workflow: CompiledWorkflow) => CompiledWorkflow;
  readonly children?: (children: Children) => Children;
}

export interface ClusterParts {
  readonly time: VirtualTime;
  readonly store: FullStateStore;
  readonly plans: { readonly main: GeneratedPlan; readonly child: GeneratedPlan };
  readonly draw: Random;
  readonly faults: FaultSource;
  readonly recorder: HistoryRecorder;
  readonly variant: Variant;
  readonly moments: BusyMoments;
}

export class Cluster {
  readonly executions: Execution[] = [];
  readonly engineFaults: Fault[] = [];
  /** Workers that are stopping. */
  readonly stopping = new Set<string>();
  readonly #parts: ClusterParts;
  readonly #running = new Map<VirtualProcess, EngineWorker>();
  #started = 0;

  constructor(parts: ClusterParts, size: number) {
    this.#parts = parts;
    const { time, draw } = parts;
    for (let count = 0; count < size; count++) this.#start();
    for (let count = draw.between(0, MOST_STOPS); count > 0; count--) {
      time.after(draw.between(500, 15_000), () => this.#ask());
    }
  }

  /** Stops all faults and resumes suspended processes. */
  heal(): void {
    this.#parts.faults.heal();
    for (const process of this.#running.keys()) process.resume();
  }

  end(): void {
    for (const process of this.#running.keys()) process.kill();
  }

  #start(): void {
    const { time, store, draw, faults, recorder, plans, variant, moments } = this.#parts;
    const id = `worker-${++this.#started}`;
    const process = new VirtualProcess(time, draw.between(-5000, 5000));
    const kill = (): void => this.#replace(process);
    const unreliable = unreliableLine({ time, process, faults, draw, leaseMs: LEASE_MS, kill });
    const line: Around = (call) => {
      moments.see(call);
      return unreliable(call);
    };
    const bugged = variant.store === undefined ? store : interceptStore(store, variant.store(store));
    const recorded = interceptStore(bugged, recorder.recording(id, line));
    const handle = variant.sends === undefined ? recorded : interceptStore(recorded, variant.sends(store));
    const { compiled = (workflow) => workflow, children = (each) => each, newDecider } = variant;
    const workflows = [plans.main.compiled, plans.child.compiled].map(compiled);
    const onFault = (fault: Fault): void => void this.engineFaults.push(fault);
    const runners = this.#runners(id, process);
    const options = { workflows, leaseMs: LEASE_MS, pollMs: POLL_MS, concurrency: 50, onFault, runners };
    const family = children(childRuns(handle, workflows));
    const worker = new EngineWorker(id, handle, options, family, process.timers, newDecider);
    if (!process.hasEnded) this.#running.set(process, worker); // otherwise its first call killed it
  }

  /** Asks a running worker to stop, sometimes twice. */
  #ask(): void {
    const { time, draw } = this.#parts;
    const running = [...this.#running];
    if (running.length === 0) return;
    const [process, worker] = draw.pick(running);
    const stop = (): void =>
      void process
        .running()
        .then(() => worker.stop())
        .then(() => this.#replace(process));
    this.stopping.add(worker.id);
    stop();
    if (draw.chance(0.5)) time.after(draw.between(0, 3000), stop);
  }

  /** Starts a replacement after a delay. */
  #replace(process: VirtualProcess): void {
    if (process.hasEnded) return;
    this.stopping.delete(this.#running.get(process)?.id ?? "");
    process.kill();
    this.#running.delete(process);
    this.#parts.time.after(this.#parts.draw.between(50, 2000), () => this.#start());
  }

  #runners(worker: string, process: VirtualProcess): Readonly<Record<string, Runner>> {
    const run: Runner = async ({ step, context }) => {
      const { runId, stepId, attempt, signal, needs } = context;
      this.executions.push({ worker, runId, stepId, attempt, needs: needs as Record<string, unknown> });
      const { main, child } = this.#parts.plans;
      const { script } = isChild(runId) ? child : main;
      await perform(script.attempt(runId, stepId, attempt, step.timeoutMs !== undefined), process.timers, signal);
      return { from: stepId, attempt };
    };
    return { function: run, command: run, sql: run, http: run };
  }
}

/** Makes the ids of child runs deterministic. */
export function isChild(runId: string): boolean {
  return runId.startsWith("run_");
}

async function perform({ durationMs, end }: Behaviour, timers: Timers, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    if (end !== "hang") timers.after(durationMs, resolve);
  });
  if (end !== "ok") throw Object.assign(new Error(`It does ${end}.`), { code: end === "fatal" ? "FATAL" : "FLAKY" });
}
