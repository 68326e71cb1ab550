/**
 * A run folded ahead of its log. This class is pure: it reads and writes no store.
 *
 * `state` is the fold of the events that the log holds. `planTurn` folds on top of it what happened in this process,
 * decides on the result, and returns the events to append and the commands to start once they are stored. So a step's
 * end and the start of the steps it unlocks travel in one append: a chain of N steps costs about N + 1 commits (O3).
 *
 * The decider sees each event once, from the log or from a speculation. If a speculation does not become part of the
 * log as it is, the decider restarts from the whole state.
 */
import type { CanonicalEngineEvent, NewEvent, Plan } from "@runledger/contracts";
import {
  compact,
  evolve,
  evolveAll,
  indexPlan,
  initialState,
  isInner,
  withoutSlot,
  type Command,
  type EventDraft,
  type RunState,
} from "@runledger/core";
import type { RunDecider } from "./decider.js";
import { originOf } from "./event-origin.js";
import { isSettled } from "./is-settled.js";
import { ParentEvents, type AppendParents } from "./parent-events.js";
import { toEvent, type RunContext } from "./run-context.js";
import { Suspects } from "./suspects.js";

/** Above this number of unseen events, the decider restarts instead of applying them. */
const MAX_UNSEEN = 1000;

/** The next append of a run, and the work that follows it. */
export interface Turn {
  readonly drafts: readonly EventDraft[];
  /** Drafts that happened and are no longer wanted. They are never appended. */
  readonly dropped: readonly EventDraft[];
  /** Commands to start once the drafts are stored. */
  readonly commands: readonly Command[];
  /** Time at which the next command is due. `null` if no command waits for a time. */
  readonly wakeAt: number | null;
  /** `true` if the run has commands that must wait until it gets a slot. */
  readonly needsSlot: boolean;
  /** `true` if the drafts only start steps, so that they may fail open (B1). */
  readonly onlyStarts: boolean;
}

interface Decision {
  readonly state: RunState;
  readonly commands: readonly Command[];
  readonly needsSlot: boolean;
}

interface Drafted {
  readonly event: NewEvent;
  /** The event with the seq it was last folded at. */
  placed: CanonicalEngineEvent | null;
}

export class SpeculativeRun {
  readonly #context: RunContext;
  readonly #decider: RunDecider;
  #hasSlot: boolean;
  readonly #suspects: Suspects;
  readonly #parents: ParentEvents;
  /** Caches one event per draft, so that every fold and every retry of an append uses the same event. */
  readonly #drafted = new WeakMap<EventDraft, Drafted>();
  /** Drafts that the decider has seen and the log does not hold yet. */
  readonly #assumed = new Set<EventDraft>();
  /** Events of the log that the decider has not seen. `null` if the decider must restart. */
  #unseen: CanonicalEngineEvent[] | null = null;
  /** The last speculation on `#state`. The append and the commit of its drafts reuse it. */
  #tip: { readonly drafts: readonly EventDraft[]; readonly state: RunState } | null = null;
  #state: RunState;
  /** Starts of steps that run although the log does not hold them. The next append has them in front (B1). */
  #spooled: readonly EventDraft[] = [];

  /** `hasSlot` is `false` if the run was claimed outside the limits, to handle an operator's action (Q2). */
  constructor(
    context: RunContext,
    decider: RunDecider,
    hasSlot: boolean,
    suspects = new Suspects(),
    parents = new ParentEvents(),
  ) {
    this.#context = context;
    this.#decider = decider;
    this.#hasSlot = hasSlot;
    this.#suspects = suspects;
    this.#parents = parents;
    this.#state = initialState(context.runId);
  }

  /** The fold of the events that the log holds. */
  get state(): RunState {
    return this.#state;
  }

  /** The fold with the starts that are in the spool. */
  get startedState(): RunState {
    return this.#spooled.length === 0 ? this.#state : this.stateAfter(this.spooled);
  }

  /** Starts that are in the spool, and not in the log. */
  get spooled(): readonly EventDraft[] {
    this.#spooled = this.#spooled.filter((draft) => !isSettled(this.#state, draft));
    return this.#spooled;
  }

  /** The steps that these drafts start may run: the spool keeps the drafts for the next append. */
  startSpooled(drafts: readonly EventDraft[]): void {
    this.#spooled = drafts;
  }

  get hasSlot(): boolean {
    return this.#hasSlot;
  }

  /** Handles operators' actions from now on, and starts nothing else. */
  loseSlot(): void {
    this.#hasSlot = false;
  }

  /** Replaces the fold with the state of a checkpoint. */
  restore(state: RunState): void {
    this.#unseen = null;
    this.#setState(state);
  }

  /** Folds an event that was read from the log. An event that is part of the state is only noted as a parent (N5). */
  fold(event: CanonicalEngineEvent): void {
    this.#parents.add(event);
    if (event.runSeq <= this.#state.lastEventSeq) return; // F1
    this.#setState(evolve(this.#state, event));
    this.#keepUnseen([event]);
  }

  /** Folds drafts that the log now holds, directly after the events folded so far. Returns their events. */
  commit(drafts: readonly EventDraft[]): readonly CanonicalEngineEvent[] {
    const events = this.#eventsOf(drafts);
    this.#setState(this.stateAfter(drafts));
    this.#keepUnseen(events.filter((_, index) => !this.#assumed.has(drafts[index]!)));
    for (const draft of drafts) this.#assumed.delete(draft);
    for (const event of events) this.#parents.add(event);
    return events;
  }

  /** Drops from the fold what no decision needs any more. Memory stays in proportion to the open steps. */
  compact(): RunState {
    this.#setState(compact(this.#context.workflow.plan, this.#state));
    return this.#state;
  }

  /** Returns the state that these drafts would lead to. Folds only those that the last speculation did not have. */
  stateAfter(drafts: readonly EventDraft[]): RunState {
    const known = this.#tip !== null && isPrefix(this.#tip.drafts, drafts) ? this.#tip : null;
    const folded = known?.drafts.length ?? 0;
    if (known !== null && folded === drafts.length) return known.state;
    const state = evolveAll(known?.state ?? this.#state, this.#eventsOf(drafts).slice(folded));
    this.#tip = { drafts: [...drafts], state };
    return state;
  }

  /** Returns the events that an append of these drafts sends. */
  eventsOf(drafts: readonly EventDraft[]): readonly NewEvent[] {
    return this.#drafts(drafts).map(({ event }) => event);
  }

  /** Plans the next append from what happened in this process since the last one. */
  planTurn(happened: readonly EventDraft[], now: number): Turn {
    this.#discardAssumed();
    const dropped = this.#unwanted(happened);
    const drafts = [...this.spooled, ...happened.filter((draft) => !dropped.includes(draft))];
    for (;;) {
      const { state, commands, needsSlot } = this.#decide(drafts);
      const due = commands.filter((command) => dueAt(command) <= now);
      const appends = due.filter((command) => command.type === "append");
      if (appends.length === 0) {
        const onlyStarts = drafts.length === this.spooled.length;
        drafts.push(...starts(state, due));
        return { drafts, dropped, commands: due, wakeAt: nextTime(commands, now), needsSlot, onlyStarts };
      }
      drafts.push(...first(appends).map(({ event }) => withDeadline(this.#context.workflow.plan, event, now)));
    }
  }

  /** Plans the last append of a worker that is stopping: it records what ended, aborts steps, and starts nothing. */
  planLastTurn(happened: readonly EventDraft[]): Turn {
    this.#discardAssumed();
    const dropped = this.#openingsIn(happened);
    const drafts = [...this.spooled, ...happened.filter((draft) => !dropped.includes(draft))];
    const { commands, needsSlot } = this.#decide(drafts);
    const aborts = commands.filter(({ type }) => type === "abort");
    return { drafts, dropped, commands: aborts, wakeAt: null, needsSlot, onlyStarts: false };
  }

  /** Decides as if the log held these drafts. Within a turn, drafts are only added. */
  #decide(drafts: readonly EventDraft[]): Decision {
    const state = this.stateAfter(drafts);
    const all = this.#ask(state, drafts);
    const commands = this.#hasSlot ? all : withoutSlot(state, all);
    return { state, commands: this.#suspects.narrow(state, commands), needsSlot: commands.length < all.length };
  }

  #ask(state: RunState, drafts: readonly EventDraft[]): readonly Command[] {
    const unseen = this.#unseen;
    const added = this.#eventsOf(drafts).filter((_, index) => !this.#assumed.has(drafts[index]!));
    for (const draft of drafts) this.#assumed.add(draft);
    this.#unseen = [];
    return unseen === null ? this.#decider.restart(state) : this.#decider.apply(state, [...unseen, ...added]);
  }

  /** The decider cannot forget drafts. If some that it has seen were not stored, it restarts. */
  #discardAssumed(): void {
    if (this.#assumed.size > 0) this.#unseen = null;
    this.#assumed.clear();
  }

  /**
   * A container whose closure was called while the run was paused or stopped does not start. The engine calls the
   * closure again if it ever does: its result counts from the moment it is in the log (D1).
   */
  #unwanted(happened: readonly EventDraft[]): readonly EventDraft[] {
    const openings = this.#openingsIn(happened);
    if (openings.length === 0) return [];
    const { commands } = this.#decide([...this.spooled, ...happened.filter((draft) => !openings.includes(draft))]);
    const wanted = commands.filter((command) => command.type === "open");
    return openings.filter((draft) => !wanted.some((command) => isSameAttempt(command, draft)));
  }

  /**
   * Returns the drafts of containers that were opened or failed to open. All other work drafts only its end, and inner steps
   * belong to a step that is already running.
   */
  #openingsIn(happened: readonly EventDraft[]): readonly EventDraft[] {
    const stepAt = indexPlan(this.#context.workflow.plan);
    const started = happened.filter((draft) => draft.eventType === "StepStarted" && !isInner(stepAt, draft.stepId!));
    return happened.filter((draft) => started.some((each) => isSameAttempt(each, draft)));
  }

  #setState(state: RunState): void {
    if (state !== this.#state) this.#tip = null;
    this.#state = state;
  }

  #keepUnseen(events: readonly CanonicalEngineEvent[]): void {
    if ((this.#unseen?.length ?? MAX_UNSEEN) < MAX_UNSEEN) this.#unseen!.push(...events);
    else this.#unseen = null;
  }

  /** Returns the events as the log would return them, so that they need not be read again. */
  #eventsOf(drafts: readonly EventDraft[]): CanonicalEngineEvent[] {
    const { lastEventSeq } = this.#state;
    return this.#drafts(drafts).map((drafted, index) => {
      const runSeq = lastEventSeq + 1 + index;
      if (drafted.placed?.runSeq !== runSeq) drafted.placed = { ...drafted.event, runSeq };
      return drafted.placed;
    });
  }

  #drafts(drafts: readonly EventDraft[]): Drafted[] {
    const parents = this.#parents.nextAppend();
    return drafts.map((draft) => {
      const drafted = this.#drafted.get(draft) ?? this.#draft(draft, parents);
      parents.add(drafted.event);
      return drafted;
    });
  }

  #draft(draft: EventDraft, parents: AppendParents): Drafted {
    const { executor } = this.#context;
    const origin = originOf(executor, this.#state, draft, parents);
    const drafted = { event: toEvent(this.#context, draft, origin), placed: null };
    this.#drafted.set(draft, drafted);
    return drafted;
  }
}

type Append = Extract<Command, { readonly type: "append" }>;

/**
 * Returns the appends that the others depend on: a change of the run's status, or an action of the system, such as an
 * expired deadline (D3). The others are decided on again after them.
 */
function first(appends: readonly Append[]): readonly Append[] {
  const status = appends.filter(({ changesStatus }) => changesStatus === true).slice(0, 1);
  const own = appends.filter(({ event }) => event.eventType === "SignalAccepted");
  return [status, own, appends].find((some) => some.length > 0)!;
}

type DraftRef = { readonly stepId?: string; readonly attempt: number | string };

function isSameAttempt(a: DraftRef, b: DraftRef): boolean {
  return a.stepId === b.stepId && a.attempt === b.attempt;
}

function isPrefix(some: readonly EventDraft[], all: readonly EventDraft[]): boolean {
  return some.length <= all.length && some.every((draft, index) => draft === all[index]);
}

function dueAt(command: Command): number {
  return "notBefore" in command && command.notBefore !== undefined ? Date.parse(command.notBefore) : 0;
}

function nextTime(commands: readonly Command[], now: number): number | null {
  const times = commands.map(dueAt).filter((time) => time > now);
  return times.length === 0 ? null : Math.min(...times);
}

function starts(state: RunState, due: readonly Command[]): EventDraft[] {
  return due.flatMap((command) => {
    if (command.type !== "run") return [];
    const { stepId, attempt } = command;
    const row = state.steps.get(stepId);
    const runs = row?.status === "RUNNING" && Number(row.logicalAttemptId) === attempt;
    return runs ? [] : [{ eventType: "StepStarted", stepId, attempt }];
  });
}

/** Records the deadline as a time, so that every worker and reader uses the same one (D3). */
function withDeadline({ deadlineMs }: Plan, event: EventDraft, now: number): EventDraft {
  if (event.eventType !== "RunStarted" || deadlineMs === null) return event;
  return { ...event, data: { deadlineAt: new Date(now + deadlineMs).toISOString() } };
}
