/**
 * Drives one run inside a workflow: folds the log, decides, and lets activities do everything that touches the outside.
 * It folds strictly by seq and remembers nothing that the log does not hold, like the embedded engine's `RunDriver`.
 */
import type { CanonicalEngineEvent } from "@runledger/contracts";
import { fromCheckpoint, isTerminal, type Command, type EventDraft } from "@runledger/core";
import { newDecider } from "@runledger/runtime/engine/decider";
import { takeOverDraft } from "@runledger/runtime/engine/lease-fencing";
import type { RunContext } from "@runledger/runtime/engine/run-context";
import { SpeculativeRun, type Turn } from "@runledger/runtime/engine/speculative-run";
import { condition } from "@temporalio/workflow";
import type { ExecutionSettings, Grant, Loaded, News, Work } from "../messages.js";
import { ActivitiesInFlight } from "./activities-in-flight.js";
import { ledger, steps } from "./activity-proxies.js";
import type { HistoryLimit } from "./history-limit.js";
import { OwnChecks } from "./own-checks.js";
import { showRun } from "./search-attributes.js";

/** The name under which a take-over is recorded. */
const ENGINE = "temporal";

/**
 * `ended`: the run is finished. `parked`: it waits for its next grant. `full`: the history has grown, and a new
 * execution must continue.
 */
export type DriveOutcome = "ended" | "parked" | "full";

type Step = DriveOutcome | "again";

interface RunExecutionParams {
  readonly runId: string;
  readonly settings: ExecutionSettings;
  readonly limit: HistoryLimit;
  readonly loaded: Loaded;
  /** The grant before the run was loaded. */
  readonly first: Grant;
  /** Returns the latest grant of the same epoch. */
  readonly grant: () => Grant;
  /** `true` if the store has no queue to park the run in. */
  readonly isDirect?: boolean;
}

export class RunExecution {
  readonly #context: RunContext;
  readonly #settings: ExecutionSettings;
  readonly #run: SpeculativeRun;
  readonly #limit: HistoryLimit;
  readonly #inFlight = new ActivitiesInFlight();
  readonly #grant: () => Grant;
  readonly #checkedChildren = new Set<string>();
  readonly #childrenToCancel = new Set<string>();
  /** Events that were received before events with lower numbers. */
  readonly #early = new Map<number, CanonicalEngineEvent>();
  readonly #isDirect: boolean;
  readonly #checks: OwnChecks;
  #seenWakes: number;
  #isBehind = false;
  /** The store's clock minus the clock of the workflow. */
  #clockOffset: number;

  constructor(params: RunExecutionParams) {
    const { runId, settings, limit, loaded, first, grant, isDirect = false } = params;
    const { epoch, slot, wakes } = first;
    this.#settings = settings;
    this.#limit = limit;
    this.#grant = grant;
    this.#isDirect = isDirect;
    this.#checks = new OwnChecks(isDirect);
    this.#seenWakes = wakes;
    this.#clockOffset = loaded.now - Date.now();
    this.#context = contextOf(runId, loaded, epoch, () => this.#now());
    this.#run = new SpeculativeRun(this.#context, newDecider(loaded.plan), slot);
    this.#run.restore(fromCheckpoint(loaded.cursor)!);
  }

  /** The number of wake-ups after which it has read the log. */
  get seenWakes(): number {
    return this.#seenWakes;
  }

  get parentRunId(): string | undefined {
    return this.#run.state.details.parent?.runId;
  }

  async drive(): Promise<DriveOutcome> {
    this.#show();
    await this.#recordTakeOver();
    for (;;) {
      const step = await this.#turn();
      if (step !== "again") return step;
    }
  }

  #show(): void {
    showRun(this.#settings.searchAttributes ?? [], this.#run.state);
  }

  #now(): number {
    return Date.now() + this.#clockOffset;
  }

  async #recordTakeOver(): Promise<void> {
    const held = { takenFrom: this.#grant().takenFrom } as Parameters<typeof takeOverDraft>[2];
    for (;;) {
      const draft = takeOverDraft(this.#context, ENGINE, held, this.#run.state);
      if (draft === null || (await this.#append([draft]))) return;
    }
  }

  /** One round: records what follows from the log, starts work, and waits until something has changed. */
  async #turn(): Promise<Step> {
    await this.#catchUp();
    const isFull = this.#limit.isReached;
    const startsNothing = isFull && (this.#inFlight.size === 0 || this.#limit.isDraining(this.#now()));
    const turn = startsNothing ? this.#run.planLastTurn([]) : this.#run.planTurn([], this.#now());
    const work = this.#select(turn.commands);
    const drafts = [...this.#draftsOf(turn, work), ...this.#abort(turn.commands)];
    const rider = drafts.length > 0 && work.length === 1 && !isTerminal(this.#run.stateAfter(drafts).status);
    if (drafts.length > 0 && !rider && !(await this.#append(drafts))) return "again";
    if (isTerminal(this.#run.state.status)) return drafts.length > 0 ? "ended" : this.#parkFinished();
    for (const each of work) this.#start(each, rider ? drafts : []);
    if (this.#inFlight.size > 0) return this.#wait(turn.wakeAt);
    return startsNothing ? "full" : this.#park(turn.needsSlot ? this.#now() : turn.wakeAt);
  }

  /** Waits for the end of an activity, a wake-up, or the time of the next command. */
  async #wait(nextAt: number | null): Promise<"again"> {
    const wakeAt = this.#checks.earlier(nextAt ?? this.#limit.drainsUntil, this.#now());
    const hasChanged = (): boolean => this.#inFlight.hasFinished || this.#mustCatchUp();
    if (wakeAt === null) await condition(hasChanged);
    else await condition(hasChanged, Math.max(1, wakeAt - this.#now()));
    for (const news of this.#inFlight.take()) this.#fold(news);
    if (this.#checks.isDue(this.#now())) this.#checkAll();
    return "again";
  }

  #checkAll(): void {
    this.#isBehind = true;
    this.#checkedChildren.clear();
  }

  #mustCatchUp(): boolean {
    return this.#isBehind || this.#early.size > 0 || this.#grant().wakes !== this.#seenWakes;
  }

  async #catchUp(): Promise<void> {
    while (this.#mustCatchUp()) {
      const { wakes } = this.#grant();
      if (wakes !== this.#seenWakes) {
        this.#checkedChildren.clear();
        this.#checks.restart();
      }
      this.#isBehind = false;
      const { runId } = this.#context;
      this.#fold(await ledger.readNews({ runId, afterSeq: this.#run.state.lastEventSeq }), true);
      this.#seenWakes = wakes;
    }
  }

  /**
   * Folds what follows directly. An activity returns only the events that it has stored, so events further on are kept
   * until those before them arrive: with the results of other activities, or from the log. A page of the log that
   * follows the folded events is whole: its gaps are dead (P10).
   */
  #fold({ events, hasMore, now }: News, isWhole = false): void {
    this.#clockOffset = now - Date.now();
    for (const event of events)
      if (isWhole) this.#run.fold(event);
      else this.#early.set(event.runSeq, event);
    for (let next; (next = this.#early.get(this.#run.state.lastEventSeq + 1)) !== undefined;) this.#run.fold(next);
    for (const seq of this.#early.keys()) if (seq <= this.#run.state.lastEventSeq) this.#early.delete(seq);
    if (hasMore) this.#isBehind = true;
    this.#show();
  }

  /** Returns `false` if the log had other events, which are folded now. */
  async #append(drafts: readonly EventDraft[]): Promise<boolean> {
    const { runId, epoch } = this.#context;
    const news = await ledger.append({ runId, epoch, expectedSeq: this.#run.state.lastEventSeq, drafts });
    this.#fold(news);
    return !news.refused;
  }

  /** Returns the commands to start now: not those in flight, and not more than the limit. */
  #select(commands: readonly Command[]): readonly Work[] {
    for (const command of commands) if (command.type === "cancelChild") this.#cancelChild(command.childRunId);
    const startable = commands.filter((command) => isWork(command)).filter((work) => this.#isWanted(work));
    const room = Math.min(this.#settings.maxActivities - this.#inFlight.size, this.#limit.room);
    return startable.slice(0, Math.max(0, room));
  }

  #isWanted(work: Work): boolean {
    if (this.#inFlight.has(work)) return false;
    return work.type !== "awaitChild" || !this.#checkedChildren.has(work.childRunId);
  }

  #cancelChild(childRunId: string): void {
    if (this.#childrenToCancel.has(childRunId)) return;
    this.#childrenToCancel.add(childRunId);
    this.#checkedChildren.delete(childRunId);
  }

  /** A step that does not run yet is not recorded as started. */
  #draftsOf({ drafts, commands }: Turn, work: readonly Work[]): readonly EventDraft[] {
    const later = commands.filter((command) => command.type === "run" && !work.includes(command)) as readonly Work[];
    const isLater = ({ eventType, stepId, attempt }: EventDraft): boolean =>
      eventType === "StepStarted" && later.some((each) => each.stepId === stepId && each.attempt === attempt);
    return drafts.filter((draft) => !isLater(draft));
  }

  /** Stops running steps. An attempt that no activity runs was lost with its worker, so it is over. */
  #abort(commands: readonly Command[]): readonly EventDraft[] {
    return commands.flatMap((command) => {
      if (command.type !== "abort" || this.#inFlight.cancel(command)) return [];
      const error = { code: "CANCELLED", message: "The run was stopped.", retryable: false };
      return [{ eventType: "StepFailed", stepId: command.stepId, attempt: command.attempt, data: { error } }];
    });
  }

  #start(command: Work, before: readonly EventDraft[]): void {
    const { runId, epoch } = this.#context;
    const afterSeq = this.#run.state.lastEventSeq;
    const cancelChild = command.type === "awaitChild" && this.#childrenToCancel.has(command.childRunId);
    this.#limit.countStep();
    const params = { runId, epoch, afterSeq, before, command, cancelChild };
    if (command.type === "awaitChild") this.#checkedChildren.add(command.childRunId);
    this.#inFlight.start(command, async () => {
      const news = await steps(this.#settings).work(params);
      // A refused activity has not checked the child. It may not even have started it.
      if (news.refused && command.type === "awaitChild") this.#checkedChildren.delete(command.childRunId);
      return news;
    });
  }

  /** A task that was lost after it finished the run finds it finished. A later action gets another execution. */
  async #parkFinished(): Promise<Step> {
    if (this.#isDirect) return "ended";
    return (await this.#park(null)) === "parked" ? "ended" : "again";
  }

  /** Releases the run until its next grant, if nothing came in between (O2). */
  async #park(wakeAt: number | null): Promise<Step> {
    if (this.#isDirect) return this.#wait(wakeAt);
    const { runId, epoch } = this.#context;
    const expectedSeq = this.#run.state.lastEventSeq;
    if (await ledger.park({ runId, epoch, expectedSeq, wakes: this.#seenWakes, wakeAt })) return "parked";
    this.#isBehind = true;
    return "again";
  }
}

function isWork(command: Command): command is Work {
  const { type } = command;
  return type === "run" || type === "open" || type === "askAgain" || type === "awaitChild";
}

/** The workflow has no store and no closures: activities have them. */
function contextOf(runId: string, { plan }: Loaded, epoch: number, now: () => number): RunContext {
  const workflow = { plan, closures: new Map(), input: undefined, signals: {}, initialState: undefined };
  return { runId, epoch, now, workflow, store: undefined as never };
}
