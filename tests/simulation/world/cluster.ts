/** Workers on a virtual clock and one store: they die, stand still, and are replaced, as in a real place. */
import type { FullStateStore } from "@runledger/contracts";
import { childRuns } from "../../../packages/runledger/src/engine/children.js";
import type { Children } from "../../../packages/runledger/src/engine/engine-parts.js";
import type { NewDecider } from "../../../packages/runledger/src/engine/foresight.js";
import type { Runner } from "../../../packages/runledger/src/engine/runners.js";
import type { Timers } from "../../../packages/runledger/src/time/timers.js";
import { Worker, type Fault } from "../../../packages/runledger/src/engine/worker.js";
import type { HistoryRecorder } from "../../../packages/runledger/src/testing/history-recorder.js";
import { interceptStore, type Around } from "../../../packages/runledger/src/testing/intercept-store.js";
import { VirtualProcess } from "../../../packages/runledger/src/testing/virtual-process.js";
import type { VirtualTime } from "../../../packages/runledger/src/testing/virtual-time.js";
import type { CompiledWorkflow } from "../../../packages/runledger/src/workflow/compiled-workflow.js";
import type { BusyMoments } from "./busy-moments.js";
import type { FaultSource } from "./faults.js";
import type { GeneratedPlan } from "./generated-plan.js";
import type { Random } from "./random.js";
import type { Behaviour } from "./step-script.js";
import { unreliableLine } from "./unreliable-store.js";

const LEASE_MS = 3000;
const POLL_MS = 800;
/** How often a seed's workers are asked to stop, as a deployment does. */
const MOST_STOPS = 2;

export interface Execution {
  readonly worker: string;
  readonly runId: string;
  readonly stepId: string;
  readonly attempt: number;
  /** What it was given of the steps it needs. */
  readonly needs: Readonly<Record<string, unknown>>;
}

/** What a planted bug puts in the place of a part. */
export interface Variant {
  /** What all calls go through before the store gets them. */
  readonly store?: (store: FullStateStore) => Around;
  /** What a worker's calls go through before they are on their way. */
  readonly sends?: (store: FullStateStore) => Around;
  readonly newDecider?: NewDecider;
  /** The workflow as workers know it. */
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
  /** Workers that were asked to stop and have not. */
  readonly stopping = new Set<string>();
  readonly #parts: ClusterParts;
  readonly #running = new Map<VirtualProcess, Worker>();
  #started = 0;

  constructor(parts: ClusterParts, size: number) {
    this.#parts = parts;
    const { time, draw } = parts;
    for (let count = 0; count < size; count++) this.#start();
    for (let count = draw.between(0, MOST_STOPS); count > 0; count--) {
      time.after(draw.between(500, 15_000), () => this.#ask());
    }
  }

  /** Nobody is disturbed any more; who stands still goes on. */
  heal(): void {
    this.#parts.faults.heal();
    for (const process of this.#running.keys()) process.goOn();
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
    const worker = new Worker(id, handle, options, family, process.timers, newDecider);
    if (!process.hasEnded) this.#running.set(process, worker); // else it died of its first call
  }

  /** One that runs is asked to stop, perhaps twice. */
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

  /** Somebody notices, and starts another one. */
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

/** The engine names the runs that it starts itself. */
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
