/**
 * A ledger for tests: in this process, on a store in memory and a clock that is turned by hand. Nothing waits in real
 * time, and the same test does the same thing every time.
 */
import type { FullStateStore, Json } from "@runledger/contracts";
import { parseDuration, type Duration } from "@runledger/core";
import { MemoryStore } from "@runledger/store-memory";
import { childRuns } from "../engine/children.js";
import { decidingBy, type Decide } from "../engine/foresight.js";
import type { RunnerOptions } from "../engine/runners.js";
import { Worker, type Fault } from "../engine/worker.js";
import type { ForkOptions } from "../ledger/fork-plan.js";
import { Ledger } from "../ledger/ledger.js";
import type { RunHandle } from "../ledger/run-handle.js";
import type { SendOptions } from "../ledger/signals.js";
import type { StartOptions } from "../ledger/start-run.js";
import { compiledOf, type CompiledWorkflow } from "../workflow/compiled-workflow.js";
import type { AnyWorkflow, InputOf, ResultOf, SignalsOf } from "../workflow/types.js";
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
  /** Where the clock begins. Default: 2026-01-01T00:00:00.000Z. */
  readonly now?: string;
  /** How long a worker that died keeps its runs. Default ten seconds. */
  readonly leaseMs?: number;
  /** Hears of faults of the engine. Default: `settle` throws them. */
  readonly onFault?: (fault: Fault) => void;
  /** Decides in the engine's place: to see whether a test notices. */
  readonly decide?: Decide;
}

type StartArguments<W> =
  undefined extends InputOf<W>
    ? [input?: InputOf<W>, options?: StartOptions]
    : [input: InputOf<W>, options?: StartOptions];

/** As good as never: a worker of a test is asked to look when there is something to see, and says that it lives once. */
const NEVER_MS = 1e12;
const WRITES = /^(appendEvents?|queue\.(startRun|parkRun)|leases\.(retireWorker|releaseLeases))$/;

export async function testLedger(options: TestLedgerOptions): Promise<TestLedger> {
  const ledger = new TestLedger(options);
  await ledger.settle();
  return ledger;
}

export class TestLedger implements AsyncDisposable {
  /** What is stored, as nobody's client sees it. */
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
  #worker: { readonly worker: Worker; readonly process: VirtualProcess };
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

  async start<W extends AnyWorkflow>(
    workflow: W,
    ...args: StartArguments<W>
  ): Promise<TestRun<ResultOf<W>, SignalsOf<W>>> {
    const [input, options] = args;
    const named = { ...this.#nameRun(), ...options };
    return this.#begun(await this.#ledger.start(workflow, ...([input, named] as never)));
  }

  /** A run begun at a step of another one. */
  async fork<W extends AnyWorkflow>(
    run: { readonly id: string },
    options: ForkOptions<W>,
  ): Promise<TestRun<ResultOf<W>, SignalsOf<W>>> {
    return this.#begun(await this.#ledger.fork(run, { ...this.#nameRun(), ...options }));
  }

  async #begun<Out, Sig>(handle: RunHandle<Out, Sig>): Promise<TestRun<Out, Sig>> {
    await this.settle();
    const world = { store: this.store, settle: () => this.settle(), passOn: () => this.#passOn() };
    return new TestRun(handle, { ...world, nameSignal: () => this.#nameSignal() });
  }

  async signal(run: { readonly id: string }, name: string, payload: Json, options?: SendOptions): Promise<void> {
    await this.#ledger.signal(run.id, name, payload, { ...this.#nameSignal(), ...options });
    await this.settle();
  }

  async act(
    run: { readonly id: string },
    action: string,
    options?: SendOptions & { readonly stepId?: string },
  ): Promise<void> {
    await this.#ledger.act(run.id, action, { ...this.#nameSignal(), ...options });
    await this.settle();
  }

  /** Runs until nothing more can happen without time passing. */
  async settle(): Promise<void> {
    do await this.#time.settle();
    while (await this.#activity.waited());
    const [fault] = this.#faults.splice(0);
    if (fault !== undefined) throw fault.error;
  }

  /** Lets time pass; everything that is due on the way happens at its time. */
  async advance(duration: Duration): Promise<void> {
    const ms = parseDuration(duration);
    if (ms === null) throw new TypeError(`${duration} is no duration; write it as in "10m".`);
    const end = this.#time.now() + ms;
    await this.settle();
    while (this.#time.next !== null && this.#time.next <= end) {
      await this.#time.ringNext();
      await this.settle();
    }
    await this.#time.passTo(end);
  }

  /** Kills the worker, now or at a point. Another one is there at once; it gets the runs after the lease time. */
  crash(at?: CallPoint): void {
    if (at === undefined) this.#kill();
    else this.#crashPlans.push(new CallPlan(at));
  }

  /** Lets a call of the worker stand still at a point until it is released: for races, in the order you choose. */
  hold(at: CallPoint): HeldCall {
    const held = new HeldCall(at);
    this.#held.push(held);
    return held;
  }

  /** Everything that happened, for `checkHistory` of @runledger/store-conformance. */
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

  /** Ids by number: the same test has the same ones every time. */
  #nameRun(): { readonly runId: string; readonly requestId: string } {
    const count = ++this.#runs;
    return { runId: `run-${count}`, requestId: `request-${count}` };
  }

  #nameSignal(): { readonly signalId: string } {
    return { signalId: `signal-${++this.#signals}` };
  }

  async #passOn(): Promise<boolean> {
    if (this.#time.next === null || this.#time.next - this.#time.now() > NEVER_MS / 10) return false;
    await this.#time.ringNext();
    return true;
  }

  #startWorker(): { readonly worker: Worker; readonly process: VirtualProcess } {
    const { runners, secrets, onProgress, onFault = (fault) => void this.#faults.push(fault), decide } = this.#options;
    const process = new VirtualProcess(this.#time);
    const id = `worker-${++this.#started}`;
    const store = interceptStore(this.store, this.#recorder.recording(id, this.#asSeenBy(process)));
    const given = { ...(runners && { runners }), ...(secrets && { secrets }), ...(onProgress && { onProgress }) };
    const options = { ...given, workflows: this.#workflows, leaseMs: NEVER_MS, pollMs: NEVER_MS, onFault };
    const worker = new Worker(
      id,
      store,
      options,
      childRuns(store, this.#workflows),
      process.timers,
      decide && decidingBy(decide),
    );
    return { worker, process };
  }

  /** A worker dies at a crash point, or stands still, before its call is made or before it is answered. */
  #asSeenBy(process: VirtualProcess): Around {
    return async (call) => {
      const crash = this.#crashPlans.map((plan) => plan.meets(call)).find((when) => when !== null);
      const held = this.#held.map((each) => each.at(call));
      if (crash === "before") this.#kill();
      await process.running();
      await Promise.all(held.map(({ before }) => before)); // on its way: it arrives even if its sender has died
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
    this.#worker.worker.nudgeRuns();
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
