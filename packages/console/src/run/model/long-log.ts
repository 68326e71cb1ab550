/**
 * Loads parts of a log that is too long to load completely. Each part starts with an outline, which the server makes from its
 * keyframes, followed by events without payloads. States in between are folded by the same `evolve` as everywhere else.
 */
import type { RunledgerClient, RunOutline } from "@runledger/client";
import type { CanonicalEngineEvent, StepRow } from "@runledger/contracts";
import { initialState, toRunState, type RunState } from "@runledger/core";
import { History } from "./history.js";
import { landmarkOf } from "./landmarks.js";
import { readEvents, type EventRange } from "./read-events.js";
import { tallyAfter } from "./tally-after.js";
import type { Landmark, Tally } from "./view.js";

/** If the run has at most this many steps, each part starts with all of them. */
const MAX_STEPS = 1000;
const STEPS_PER_PAGE = 500;
/** Events per part. */
const PART_SIZE = 1000;
/** The number of recently used parts to keep. Users who drag the slider often come back. */
const KEPT = 12;

interface Part {
  readonly history: History;
  /** Counts by container at the start of the part. `null` if all steps are loaded. */
  readonly groups: ReadonlyMap<string, Tally> | null;
}

/** The state of a long run at one event. */
export interface LongState {
  readonly state: RunState;
  readonly event: CanonicalEngineEvent | undefined;
  readonly groups: ReadonlyMap<string, Tally> | null;
}

export class LongLog {
  readonly #runId: string;
  readonly #client: RunledgerClient;
  readonly #onChange: () => void;
  /** Parts by the seq before their first event, the most recently used last. */
  readonly #parts = new Map<number, Part>();
  #now: Part | null = null;
  /** Returned while the requested part is loading. */
  #shown: LongState | null = null;
  #requested: number | null = null;
  #hasFewSteps = false;
  #isLoading = false;

  constructor(runId: string, client: RunledgerClient, onChange: () => void) {
    this.#runId = runId;
    this.#client = client;
    this.#onChange = onChange;
  }

  /** Loads the latest state. Returns the landmarks so far. */
  async open(): Promise<readonly Landmark[]> {
    const outline = await this.#client.getRunOutline(this.#runId);
    const { lastEventSeq, stepCount } = outline.run;
    this.#hasFewSteps = stepCount <= MAX_STEPS;
    this.#now = toPart(outline, await this.#loadSteps(lastEventSeq));
    this.#onChange();
    return outline.landmarks.flatMap(({ workerId, epoch, ...event }) => {
      return landmarkOf({ ...event, eventData: { workerId: workerId ?? null, epoch: epoch ?? null } }) ?? [];
    });
  }

  /** The latest state. `null` until it is loaded. */
  get latest(): RunState | null {
    return this.#now?.history.latest ?? null;
  }

  get lastSeq(): number | undefined {
    return this.#now?.history.lastSeq;
  }

  /** Appends new events. Returns those that were not known. Missing numbers up to `settledSeq` stay missing (P10). */
  append(events: readonly CanonicalEngineEvent[], settledSeq: number): readonly CanonicalEngineEvent[] {
    return this.#now?.history.append(events, settledSeq) ?? [];
  }

  /** Returns the state at a seq, or the latest for `null`. Starts loading a missing part and returns the last state meanwhile. */
  at(seq: number | null): LongState | null {
    if (this.#now === null) return null;
    const known = seq === null || seq >= this.#now.history.baseSeq ? this.#now : this.#parts.get(partStart(seq));
    if (known === undefined) this.#request(seq!);
    else this.#shown = stateIn(known, seq ?? known.history.lastSeq);
    return this.#shown ?? stateIn(this.#now, this.#now.history.lastSeq);
  }

  #request(seq: number): void {
    this.#requested = partStart(seq);
    if (!this.#isLoading) void this.#load();
  }

  /** Loads one part at a time, always the last one requested, because dragging the slider skips most of them. */
  async #load(): Promise<void> {
    this.#isLoading = true;
    for (let from = this.#requested; from !== null; from = this.#requested) {
      this.#requested = null;
      const part = await this.#loadPart(from).catch(() => null); // the next view requests it again
      if (part !== null) this.#keep(from, part);
      this.#onChange();
    }
    this.#isLoading = false;
  }

  async #loadPart(from: number): Promise<Part> {
    const [outline, steps, read] = await Promise.all([
      from === 0 ? null : this.#client.getRunOutline(this.#runId, { atSeq: from }),
      from === 0 ? null : this.#loadSteps(from),
      this.#readPart(from),
    ]);
    const part = outline === null ? this.#firstPart() : toPart(outline, steps);
    const { baseSeq } = part.history;
    // No event has the number `from`. A read from the last event before it returns which numbers stay missing (P10).
    const range = baseSeq === from ? read : await this.#readPart(baseSeq);
    part.history.append(range.events, range.settledSeq);
    return part;
  }

  #readPart(after: number): Promise<EventRange> {
    return readEvents(this.#client, this.#runId, { after, limit: PART_SIZE });
  }

  #firstPart(): Part {
    return { history: new History(initialState(this.#runId)), groups: this.#hasFewSteps ? null : new Map() };
  }

  /** Returns `null` if there are too many. The number of steps of a run never shrinks, so earlier states have no more. */
  async #loadSteps(atSeq: number): Promise<readonly StepRow[] | null> {
    if (!this.#hasFewSteps) return null;
    const rows: StepRow[] = [];
    for (let after: number | undefined; ;) {
      const place = after === undefined ? {} : { after };
      const page = await this.#client.listSteps(this.#runId, { atSeq, limit: STEPS_PER_PAGE, ...place });
      rows.push(...page.items);
      if (page.next === null) return rows;
      after = Number(page.next);
    }
  }

  #keep(from: number, part: Part): void {
    this.#parts.delete(from);
    this.#parts.set(from, part);
    for (const oldest of [...this.#parts.keys()].slice(0, -KEPT)) this.#parts.delete(oldest);
  }
}

/** Returns the seq before the first event of the part that contains `seq`. */
function partStart(seq: number): number {
  return Math.floor((seq - 1) / PART_SIZE) * PART_SIZE;
}

function toPart({ run, steps, groups }: RunOutline, all: readonly StepRow[] | null): Part {
  if (all !== null) return { history: new History(toRunState(run, all)), groups: null };
  const tallies = new Map(groups.map(({ stepId, ...tally }) => [stepId, tally]));
  return { history: new History(toRunState(run, steps)), groups: tallies };
}

function stateIn({ history, groups }: Part, seq: number): LongState {
  const at = Math.min(seq, history.lastSeq);
  const after = groups === null ? null : tallyAfter(groups, history.eventsUpTo(at));
  return { state: history.stateAt(at), event: history.event(at), groups: after };
}
