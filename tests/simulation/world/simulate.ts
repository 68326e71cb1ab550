/** Simulates one seed: a plan, its runs, their signals and the faults, until all runs finish or nothing moves. */
import type { AppendOptions, AppendResult, FullStateStore, NewEvent } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { Ledger } from "@runledger/runtime/ledger/ledger";
import { dated } from "@runledger/runtime/testing/dated";
import { HistoryRecorder } from "@runledger/runtime/testing/history-recorder";
import { interceptStore, type StoreCall } from "@runledger/runtime/testing/intercept-store";
import type { RecordedHistory } from "@runledger/runtime/testing/recorded-history";
import { VirtualTime } from "@runledger/runtime/testing/virtual-time";
import type { Fault } from "@runledger/runtime/engine/worker";
import { Cluster, type Execution, type Variant } from "./cluster.js";
import { BusyMoments } from "./busy-moments.js";
import { FaultSource } from "./faults.js";
import { generatePlan, type GeneratedPlan } from "./generated-plan.js";
import { operate } from "./operator.js";
import { random } from "./random.js";

export interface Simulated {
  readonly seed: number;
  readonly plans: { readonly main: GeneratedPlan; readonly child: GeneratedPlan };
  readonly history: RecordedHistory;
  readonly executions: readonly Execution[];
  readonly hits: ReadonlyMap<string, number>;
  /** Runs that were still open long after the last fault. */
  readonly stuck: readonly string[];
  readonly engineFaults: readonly Fault[];
  /** Workers whose `stop()` never resolved. */
  readonly unstopped: readonly string[];
}

const START = Date.parse("2026-01-01T00:00:00.000Z");
/** Approximate number of steps per seed: larger plans get fewer runs. */
const STEPS = 80;
/** Duration of the fault phase, and the time after it within which every run must finish. */
const HEAL_MS = 40_000;
const PATIENCE_MS = 300_000;
/** Longer than any wait of a plan: if no log grows for this long, none ever will. */
const SILENCE_MS = 30_000;
/** Maximum latency of a call. */
const LATE_MS = 6000;

export async function simulate(seed: number, variant: Variant = {}): Promise<Simulated> {
  const draw = random(seed);
  const time = new VirtualTime(START);
  const store = new MemoryStore({ now: () => time.now() });
  const recorder = new HistoryRecorder();
  const open = new OpenRuns(time);
  const { now } = time;
  const small = { now, attended: false, id: "child", size: draw.between(1, 3) };
  const child = generatePlan(seed + 1_000_000_000, small);
  const plans = { main: generatePlan(seed, { now, child }), child };
  const watched = interceptStore(store, (call) => open.watch(onTime(call, time)));
  const faults = new FaultSource(draw);
  const moments = new BusyMoments();
  const parts = { time, store: watched, plans, draw, faults, recorder, variant, moments };
  const cluster = new Cluster(parts, draw.between(2, 4));
  const busyMoment = (runId: string): Promise<void> => moments.next(runId);
  const operators = startOperators({ time, store: watched, recorder, draw, plan: plans.main, variant, busyMoment });
  const isOver = (): boolean => operators.done() && open.size === 0;
  await pass(time, START + HEAL_MS, isOver);
  cluster.heal();
  const healed = time.now();
  const isSilent = (): boolean => time.now() > Math.max(healed, open.lastAppend) + SILENCE_MS;
  await pass(time, healed + PATIENCE_MS, () => isOver() || isSilent());
  const stuck = open.names();
  await time.advanceTo(time.now() + LATE_MS); // late calls arrive and are rejected
  cluster.end();
  const history = await recorder.history(store);
  const { executions, engineFaults } = cluster;
  return { seed, plans, history, executions, hits: faults.hits, stuck, engineFaults, unstopped: [...cluster.stopping] };
}

/** Makes starts and signals use the virtual time, so that a seed gives the same log. */
function onTime(call: StoreCall, time: VirtualTime): StoreCall {
  const now = (): string => new Date(time.now()).toISOString();
  return { ...call, proceed: (args = call.args) => call.proceed(dated({ ...call, args }, now())) };
}

async function pass(time: VirtualTime, until: number, isOver: () => boolean): Promise<void> {
  while (!isOver() && time.next !== null && time.next <= until) await time.fireNext();
}

interface OperatorsParts {
  readonly time: VirtualTime;
  readonly store: FullStateStore;
  readonly recorder: HistoryRecorder;
  readonly draw: ReturnType<typeof random>;
  readonly plan: GeneratedPlan;
  readonly variant: Variant;
  readonly busyMoment: (runId: string) => Promise<void>;
}

function startOperators(parts: OperatorsParts): { done(): boolean } {
  const { time, store, recorder, draw, plan, variant, busyMoment } = parts;
  const bugged = variant.store === undefined ? store : interceptStore(store, variant.store(store));
  const line = recorder.recording("operator", async (call) => {
    await new Promise<void>((resolve) => void time.after(draw.between(1, 6), resolve));
    return call.proceed();
  });
  const ledger = new Ledger(interceptStore(bugged, line), async () => {}, { timers: time });
  let left = Math.max(2, Math.round(STEPS / plan.weight));
  for (let count = left; count > 0; count--) {
    const own = { time, ledger, store, draw: random(draw.below(2 ** 31)), plan, busyMoment };
    void operate(own, `r${count}`).then(() => left--);
  }
  return { done: () => left === 0 };
}

/** Open runs according to the store. */
class OpenRuns {
  readonly #open = new Set<string>();
  readonly #time: VirtualTime;
  lastAppend = 0;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  get size(): number {
    return this.#open.size;
  }

  names(): string[] {
    return [...this.#open];
  }

  async watch({ name, args, proceed }: StoreCall): Promise<unknown> {
    const answer = await proceed();
    if (name === "queue.startRun") {
      const { runId, created } = answer as { readonly runId: string; readonly created: boolean };
      if (created) this.#open.add(runId);
    }
    if (name !== "appendEvents") return answer;
    const [events, options] = args as [readonly NewEvent[], AppendOptions?];
    if ((answer as readonly AppendResult[]).some(({ idempotent }) => !idempotent)) this.lastAppend = this.#time.now();
    if (options?.ends === true) this.#open.delete(events[0]!.runId);
    if (options?.enqueues !== undefined) this.#open.add(events[0]!.runId);
    return answer;
  }
}
