/**
 * The log of a run that this worker owns, and its fold.
 *  O2  A decision is made on the fold of everything up to the head: after each append the first seq must be the next
 *      one, else what came in between is read first.
 *  C2  A checkpoint is saved with an append that crosses a multiple of the interval, and labelled with what was folded
 *      before it.
 */
import {
  SeqMismatchError,
  type AppendOptions,
  type CanonicalEngineEvent,
  type Checkpoint,
  type NewEvent,
} from "@runledger/contracts";
import {
  compact,
  evolve,
  evolveAll,
  fromCheckpoint,
  initialState,
  isTerminal,
  toCheckpoint,
  type EventDraft,
  type RunState,
} from "@runledger/core";
import type { RunEnd } from "./run-end.js";
import { toEvent, type Alert, type RunFacts } from "./run-facts.js";

/** Events between two checkpoints. */
const INTERVAL = 100;
/** Characters from which on an operator is told. */
const LARGE = 100 * 1024;
/** Of folded events that nobody has asked for. */
const MOST_KEPT = 1000;
const ENDS = new Set(["RunCompleted", "RunFailed", "RunCancelled"]);

/**
 * `next`: on record, right behind what was folded. `elsewhere`: on record, but others came in between or had written it
 * before; the fold is current, and what to do is to be decided anew. `refused`: not on record, the fold is current.
 */
export type Recorded = "next" | "elsewhere" | "refused";

export class RunLog {
  readonly #facts: RunFacts;
  /** One event per draft, however often it is folded ahead or sent again, and as it would be at its last place. */
  readonly #events = new WeakMap<EventDraft, { readonly event: NewEvent; placed: CanonicalEngineEvent | null }>();
  readonly #warned = new Set<Alert["code"]>();
  #resumed = false;
  /** Folded since somebody last asked; null = too much to tell. */
  #folded: CanonicalEngineEvent[] | null = null;
  /** The last look ahead: it is asked for again when its drafts are sent, and when they are on record. */
  #foreseen: { readonly from: RunState; readonly drafts: readonly EventDraft[]; readonly state: RunState } | null =
    null;
  state: RunState;
  /** The event of ours that ended the run; null = it has not ended, or by somebody else's. */
  #end: CanonicalEngineEvent | null = null;

  constructor(facts: RunFacts) {
    this.#facts = facts;
    this.state = initialState(facts.runId);
  }

  /** How the run ended, if it did so here. */
  get end(): RunEnd | null {
    const { recall } = this.#facts;
    const isOver = this.#end !== null && recall !== undefined && isTerminal(this.state.status);
    return isOver ? { state: this.state, event: this.#end!, recall } : null;
  }

  /** Reads what the fold does not know yet; the first time from the checkpoint on, where there is one. */
  async catchUp(): Promise<void> {
    if (this.#resumed) return void (await this.#readOn());
    const began = performance.now();
    const resumed = await this.#resume();
    const events = await this.#readOn();
    this.#resumed = true;
    this.#facts.metrics?.replayed({ fromCheckpoint: resumed, events, ms: performance.now() - began });
  }

  /** Begins with all that the log held when the run was claimed: it need not be read. */
  beginWith(event: CanonicalEngineEvent): void {
    this.#fold(event);
    this.#resumed = true;
    this.#facts.metrics?.replayed({ fromCheckpoint: false, events: 1, ms: 0 });
  }

  async #readOn(): Promise<number> {
    const { store, runId } = this.#facts;
    const { lastEventSeq } = this.state;
    for await (const event of store.streamEvents(runId, { afterSeq: lastEventSeq })) this.#fold(event);
    return this.state.lastEventSeq - lastEventSeq;
  }

  #fold(event: CanonicalEngineEvent): void {
    this.state = evolve(this.state, event);
    this.#note([event]);
    if (this.#resumed || event.eventType === "RunQueued") this.#facts.recall?.note(event); // a replay keeps the input only
  }

  /** What was folded since the last call; null = more than is kept, as after a resume. */
  takeFolded(): readonly CanonicalEngineEvent[] | null {
    const folded = this.#folded;
    this.#folded = [];
    return folded;
  }

  #note(events: readonly CanonicalEngineEvent[]): void {
    if ((this.#folded?.length ?? MOST_KEPT) < MOST_KEPT) this.#folded!.push(...events);
    else this.#folded = null;
  }

  /** The state that these would lead to. What they begin with may have been folded before. */
  ahead(drafts: readonly EventDraft[]): RunState {
    const known = this.#foreseen?.from === this.state && isBegun(this.#foreseen.drafts, drafts) ? this.#foreseen : null;
    const folded = known?.drafts.length ?? 0;
    if (known !== null && folded === drafts.length) return known.state;
    const state = evolveAll(known?.state ?? this.state, this.asEvents(drafts).slice(folded));
    this.#foreseen = { from: this.state, drafts: [...drafts], state };
    return state;
  }

  async append(drafts: readonly EventDraft[], withCheckpoint: boolean): Promise<Recorded> {
    const { lastEventSeq } = this.state;
    const options = this.#options(drafts, withCheckpoint);
    const began = performance.now();
    try {
      const results = await this.#facts.store.appendEvents(
        drafts.map((draft) => this.#eventOf(draft).event),
        options,
      );
      this.#facts.metrics?.appended({ events: drafts.length, ms: performance.now() - began });
      if (options.checkpoint !== undefined) this.#facts.metrics?.checkpointSaved(options.checkpoint);
      const next = results.every(({ runSeq, idempotent }, i) => !idempotent && runSeq === lastEventSeq + 1 + i);
      if (next) this.#advance(drafts);
      else await this.catchUp();
      return next ? "next" : "elsewhere";
    } catch (error) {
      if (!(error instanceof SeqMismatchError)) throw error;
      await this.catchUp();
      return "refused";
    }
  }

  /** Of what is folded now. Compacting on the way keeps memory in proportion to what is open. */
  checkpoint(): Checkpoint {
    this.state = compact(this.#facts.workflow.plan, this.state);
    const checkpoint = toCheckpoint(this.state);
    const bytes = checkpoint.data.length;
    if (bytes > LARGE)
      this.#warn("CHECKPOINT_LARGE", `is ${Math.round(bytes / 1024)} KB; keep less in the run's state.`);
    return checkpoint;
  }

  /** True = there was a checkpoint. Who is the first to drive a run need not ask for one. */
  async #resume(): Promise<boolean> {
    const { store, runId, epoch } = this.#facts;
    if (epoch === 1) return false;
    const checkpoint = (await store.checkpoints?.loadCheckpoint(runId)) ?? null;
    const state = checkpoint === null ? null : fromCheckpoint(checkpoint);
    if (state !== null) this.state = state;
    else if (checkpoint !== null) this.#warn("CHECKPOINT_UNUSABLE", `cannot be used; its log is replayed.`);
    return state !== null;
  }

  /** Once per kind and run that is driven. */
  #warn(code: Alert["code"], what: string): void {
    const { runId, alert } = this.#facts;
    if (this.#warned.has(code)) return;
    this.#warned.add(code);
    alert?.({ code, runId, message: `The checkpoint of run ${runId} at seq ${this.state.lastEventSeq} ${what}` });
  }

  #advance(drafts: readonly EventDraft[]): void {
    const events = this.asEvents(drafts);
    this.state = this.ahead(drafts);
    if (isTerminal(this.state.status)) this.#end = events.findLast(({ eventType }) => ENDS.has(eventType)) ?? null;
    this.#note(events);
    for (const event of events) this.#facts.recall?.note(event);
  }

  /**
   * Only at the head that was folded, whatever is appended (O2). So an append that got no answer and arrives late, behind
   * others that came in its place, finds that it is no longer wanted.
   */
  #options(drafts: readonly EventDraft[], wanted: boolean): AppendOptions {
    const { lastEventSeq, details } = this.state;
    const ends = isTerminal(this.ahead(drafts).status);
    const crosses = Math.floor((lastEventSeq + drafts.length) / INTERVAL) > Math.floor(lastEventSeq / INTERVAL);
    return {
      fence: this.#facts.epoch,
      expectedSeq: lastEventSeq,
      ...(ends ? { ends, wakes: details.parent === undefined ? [] : [details.parent.runId] } : {}),
      ...(!ends && (crosses || wanted) ? { checkpoint: this.checkpoint() } : {}),
    };
  }

  #eventOf(draft: EventDraft): { readonly event: NewEvent; placed: CanonicalEngineEvent | null } {
    const known = this.#events.get(draft);
    if (known !== undefined) return known;
    const made = { event: toEvent(this.#facts, draft), placed: null };
    this.#events.set(draft, made);
    return made;
  }

  /** The events as the log will give them back, for a fold that need not read them again. */
  asEvents(drafts: readonly EventDraft[]): CanonicalEngineEvent[] {
    const { lastEventSeq } = this.state;
    return drafts.map((draft, index) => this.#placed(draft, lastEventSeq + 1 + index));
  }

  #placed(draft: EventDraft, runSeq: number): CanonicalEngineEvent {
    const known = this.#eventOf(draft);
    if (known.placed?.runSeq !== runSeq) known.placed = { ...known.event, runSeq };
    return known.placed;
  }
}

function isBegun(some: readonly EventDraft[], all: readonly EventDraft[]): boolean {
  return some.length <= all.length && some.every((draft, index) => draft === all[index]);
}
