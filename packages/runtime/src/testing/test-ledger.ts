/**
 * A ledger for tests: in process, on a memory store and a virtual clock. Nothing waits in real time, and tests are
 * deterministic.
 */
import type { FullStateStore, Json } from "@runledger/contracts";
import { parseDuration, type Action, type Duration } from "@runledger/core";
import { MemoryStore } from "@runledger/store-memory";
import { childRuns } from "../engine/children.js";
import { statelessDecider, type Decide } from "../engine/decider.js";
import type { RunnerOptions } from "../engine/runners.js";
import { EngineWorker, type Fault } from "../engine/worker.js";
import type { ForkOptions } from "../runs/fork-plan.js";
import { Ledger } from "../ledger/ledger.js";
import type { RunHandle } from "../ledger/run-handle.js";
import type { SendOptions } from "../runs/signals.js";
import { startWith, type PositionalStartArguments, type StartArguments } from "../runs/start-arguments.js";
import { compiledOf, type CompiledWorkflow } from "../workflow/compiled-workflow.js";
import type { AnyWorkflow, ResultOf, SignalsOf, Workflow } from "../workflow/types.js";
import { Activity } from "./activity.js";
import { CallPlan, type CallPoint } from "./call-plan.js";
import { dated } from "./dated.js";
import { HeldCall, type Held } from "./held-call.js";
import { HistoryRecorder } from "./history-recorder.js";
import { interceptStore, type Around, type StoreCall } from "./intercept-store.js";
import type { RecordedHistory } from "./recorded-history.js";
import { TestRun } from "./test-run.js";
import { VirtualProcess } from "./virtual-process.js";
import { VirtualTime } from "./virtual-time.js";

export interface TestLedgerOptions extends RunnerOptions {
  readonly workflows: readonly AnyWorkflow[];
  /** Start of the virtual clock. Default: 2026-01-01T00:00:00.000Z. */
  readonly now?: string;
  /** How long a dead worker keeps its runs. Default ten seconds. */
  readonly leaseMs?: number;
  /** Receives engine faults. By default `settle` throws them. */
  readonly onFault?: (fault: Fault) => void;
  /** Replaces the engine's decision function, to check that a test detects a wrong one. */
  readonly decide?: Decide;
}

/** Effectively never: a test notifies its worker when there is work, and the worker sends one heartbeat. */
const NEVER_MS = 1e12;
const WRITES = /^(appendEvents?|queue\.(startRun|parkRun)|leases\.(retireWorker|releaseLeases))$/;

export async function testLedger(options: TestLedgerOptions): Promise<TestLedger> {
  const ledger = new TestLedger(options);
  await ledger.settle();
  return ledger;
}

export class TestLedger implements AsyncDisposable {
  /** The store itself, without the recording of calls. */
  readonly store: FullStateStore;
  readonly #options: TestLedgerOptions;
  readonly #workflows: readonly CompiledWorkflow[];
  readonly #time: VirtualTime;
  readonly #recorder = new HistoryRecorder();
  readonly #activity = new Activity();
  readonly #ledger: Ledger;
  readonly #faults: Fault[] = [];
  #crashPlans: CallPlan[] = [];
  readonly #held: HeldCall[] = [];
  #worker: { readonly worker: EngineWorker; readonly process: VirtualProcess };
  #started = 0;
  #runs = 0;
  #signals = 0;

  constructor(options: TestLedgerOptions) {
    const { workflows, now = "2026-01-01T00:00:00.000Z" } = options;
    this.#options = options;
    this.#time = new VirtualTime(Date.parse(now));
    this.store = new MemoryStore({ now: this.#time.now });
    this.#workflows = workflows.map((each) => this.#activity.watched(compiledOf(each)));
    const client = this.#recorder.recording("client", (call) => this.#made(call));
    this.#ledger = new Ledger(interceptStore(this.store, client), async () => {}, { timers: this.#time });
    this.#worker = this.#startWorker();
  }

  /** The time on the virtual clock. */
  now(): Date {
    return new Date(this.#time.now());
  }

  start<W extends AnyWorkflow>(workflow: W, ...params: StartArguments<W>): Promise<TestRun<ResultOf<W>, SignalsOf<W>>>;
  /** @deprecated Pass one object, `start(workflow, { input, ...options })`. The next version removes this form. */
  start<W extends AnyWorkflow>(
    workflow: W,
    ...inputAndOptions: PositionalStartArguments<W>
  ): Promise<TestRun<ResultOf<W>, SignalsOf<W>>>;
  async start(workflow: AnyWorkflow, ...args: readonly unknown[]): Promise<TestRun> {
    const name = this.#nameRun();
    const run = await startWith(args, ({ input, options }) =>
      this.#ledger.start(workflow as Workflow<unknown, unknown, never>, { ...name, ...options, input }),
    );
    return this.#toTestRun(run);
  }

  /** Starts a run from a step of another run. */
  async fork<W extends AnyWorkflow>(
    run: { readonly id: string },
    options: ForkOptions<W>,
  ): Promise<TestRun<ResultOf<W>, SignalsOf<W>>> {
    return this.#toTestRun(await this.#ledger.fork(run, { ...this.#nameRun(), ...options }));
  }

  async #toTestRun<Out, Sig>(handle: RunHandle<Out, Sig>): Promise<TestRun<Out, Sig>> {
    await this.settle();
    const world = {
      store: this.store,
      settle: () => this.settle(),
      advanceToNextTimer: () => this.#advanceToNextTimer(),
    };
    return new TestRun(handle, { ...world, nameSignal: () => this.#nameSignal() });
  }

  async signal(run: { readonly id: string }, name: string, payload: Json, options?: SendOptions): Promise<void> {
    await this.#ledger.signal(run.id, name, payload, { ...this.#nameSignal(), ...options });
    await this.settle();
  }

  async act(
    run: { readonly id: string },
    action: Action,
    options?: SendOptions & { readonly stepId?: string },
  ): Promise<void> {
    await this.#ledger.act(run.id, action, { ...this.#nameSignal(), ...options });
    await this.settle();
  }

  /** Runs until nothing more can happen without advancing time. */
  async settle(): Promise<void> {
    do await this.#time.settle();
    while (await this.#activity.waited());
    const [fault] = this.#faults.splice(0);
    if (fault !== undefined) throw fault.error;
  }

  /** Advances the clock. Everything that becomes due on the way happens at its time. */
  async advance(duration: Duration): Promise<void> {
    const ms = parseDuration(duration);
    if (ms === null) throw new TypeError(`${duration} is not a duration; use one such as "10m".`);
    const end = this.#time.now() + ms;
    await this.settle();
    while (this.#time.next !== null && this.#time.next <= end) {
      await this.#time.fireNext();
      await this.settle();
    }
    await this.#time.advanceTo(end);
  }

  /** Kills the worker, now or at a call point. A new worker starts at once and gets the runs after the lease expires. */
  crash(at?: CallPoint): void {
    if (at === undefined) this.#kill();
    else this.#crashPlans.push(new CallPlan(at));
  }

  /** Suspends a call of the worker at a point until you release it, to test races in a chosen order. */
  hold(at: CallPoint): HeldCall {
    const held = new HeldCall(at);
    this.#held.push(held);
    return held;
  }

  /** Returns the recorded history, for `checkHistory` of @runledger/store-conformance. */
  history(): Promise<RecordedHistory> {
    return this.#recorder.history(this.store);
  }

  async close(): Promise<void> {
    this.#worker.process.kill();
    await this.store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Numbers ids, so that a test gets the same ids every time. */
  #nameRun(): { readonly runId: string; readonly requestId: string } {
    const count = ++this.#runs;
    return { runId: `run-${count}`, requestId: `request-${count}` };
  }

  #nameSignal(): { readonly signalId: string } {
    return { signalId: `signal-${++this.#signals}` };
  }

  async #advanceToNextTimer(): Promise<boolean> {
    if (this.#time.next === null || this.#time.next - this.#time.now() > NEVER_MS / 10) return false;
    await this.#time.fireNext();
    return true;
  }

  #startWorker(): { readonly worker: EngineWorker; readonly process: VirtualProcess } {
    const { runners, secrets, onProgress, onFault = (fault) => void this.#faults.push(fault), decide } = this.#options;
    const process = new VirtualProcess(this.#time);
    const id = `worker-${++this.#started}`;
    const store = interceptStore(this.store, this.#recorder.recording(id, this.#asSeenBy(process)));
    const given = { ...(runners && { runners }), ...(secrets && { secrets }), ...(onProgress && { onProgress }) };
    const options = { ...given, workflows: this.#workflows, leaseMs: NEVER_MS, pollMs: NEVER_MS, onFault };
    const worker = new EngineWorker(
      id,
      store,
      options,
      childRuns(store, this.#workflows),
      process.timers,
      decide && statelessDecider(decide),
    );
    return { worker, process };
  }

  /** Kills or suspends the worker at a call point, before a call is made or before its result is seen. */
  #asSeenBy(process: VirtualProcess): Around {
    return async (call) => {
      const crash = this.#crashPlans.map((plan) => plan.meets(call)).find((when) => when !== null);
      const held = this.#held.map((each) => each.at(call));
      if (crash === "before") this.#kill();
      await process.running();
      await Promise.all(held.map(({ before }) => before)); // the call is in flight: it arrives even if its sender died
      const answer = this.#made(call);
      if (crash === "after") answer.finally(() => this.#kill()).catch(() => {});
      return process.seen(answered(answer, held));
    };
  }

  async #made(call: StoreCall): Promise<unknown> {
    const answer = await call.proceed(dated(call, this.now().toISOString()));
    if (WRITES.test(call.name)) this.#nudge();
    const { wakeAt } = (call.args[0] ?? {}) as { readonly wakeAt?: string | null };
    if (typeof wakeAt === "string") this.#time.after(Date.parse(wakeAt) - this.#time.now(), () => this.#nudge());
    return answer;
  }

  #nudge(): void {
    this.#worker.worker.wake();
  }

  #kill(): void {
    const { worker, process } = this.#worker;
    const ttlMs = this.#options.leaseMs ?? 10_000;
    process.kill();
    this.#crashPlans = [];
    void this.store.leases.heartbeat({ workerId: worker.id, ttlMs });
    this.#time.after(ttlMs, () => this.#nudge());
    this.#worker = this.#startWorker();
  }
}

async function answered(answer: Promise<unknown>, held: readonly Held[]): Promise<unknown> {
  try {
    return await answer;
  } finally {
    await Promise.all(held.map(({ after }) => after));
  }
}
