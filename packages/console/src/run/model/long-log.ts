/**
 * A run that is too long to be read: only stretches of its log are here, those that somebody looks at. A stretch begins
 * with an outline that the server gives from its keyframes, and goes on with events without payloads; between them the
 * same `evolve` folds as everywhere.
 */
import type { RunledgerClient, RunOutline } from "@runledger/client";
import type { CanonicalEngineEvent, StepRow } from "@runledger/contracts";
import { initialState, toRunState, type RunState } from "@runledger/core";
import { History } from "./history.js";
import { landmarkOf } from "./landmarks.js";
import { tallyAfter } from "./tally-after.js";
import type { Landmark, Tally } from "./view.js";

/** All steps of a run that has no more of them are read with an outline. */
const MOST_STEPS = 1000;
const STEPS_PER_PAGE = 500;
/** So many events are read with an outline. */
const STRETCH = 1000;
/** The last ones that were looked at are kept: who drags comes back. */
const KEPT = 12;

interface Stretch {
  readonly history: History;
  /** By container: its steps at the beginning of the stretch; null = all steps are here. */
  readonly groups: ReadonlyMap<string, Tally> | null;
}

/** A moment of a long run. */
export interface LongMoment {
  readonly state: RunState;
  readonly event: CanonicalEngineEvent | undefined;
  readonly groups: ReadonlyMap<string, Tally> | null;
}

export class LongLog {
  readonly #runId: string;
  readonly #client: RunledgerClient;
  readonly #onChange: () => void;
  /** By the seq they begin behind, the one that was looked at last at the end. */
  readonly #stretches = new Map<number, Stretch>();
  #now: Stretch | null = null;
  /** What was shown last; it stays until what is asked for is here. */
  #shown: LongMoment | null = null;
  #wanted: number | null = null;
  #hasFewSteps = false;
  #isReading = false;

  constructor(runId: string, client: RunledgerClient, onChange: () => void) {
    this.#runId = runId;
    this.#client = client;
    this.#onChange = onChange;
  }

  /** Reads the run as it is now. Gives what has happened to it as a whole so far. */
  async open(): Promise<readonly Landmark[]> {
    const outline = await this.#client.getRunOutline(this.#runId);
    const { lastEventSeq, stepCount } = outline.run;
    this.#hasFewSteps = stepCount <= MOST_STEPS;
    this.#now = toStretch(outline, await this.#readSteps(lastEventSeq));
    this.#onChange();
    return outline.landmarks.flatMap(({ workerId, epoch, ...event }) => {
      return landmarkOf({ ...event, eventData: { workerId: workerId ?? null, epoch: epoch ?? null } }) ?? [];
    });
  }

  /** Of the run as it is now; null = nothing is here yet. */
  get latest(): RunState | null {
    return this.#now?.history.latest ?? null;
  }

  get lastSeq(): number | undefined {
    return this.#now?.history.lastSeq;
  }

  /** What happens now. Gives those that were not here. */
  append(events: readonly CanonicalEngineEvent[]): readonly CanonicalEngineEvent[] {
    return this.#now?.history.append(events) ?? [];
  }

  /** Null = now. What is not here is read, and what was shown last is shown meanwhile. */
  at(seq: number | null): LongMoment | null {
    if (this.#now === null) return null;
    const known = seq === null || seq >= this.#now.history.baseSeq ? this.#now : this.#stretches.get(begin(seq));
    if (known === undefined) this.#want(seq!);
    else this.#shown = momentOf(known, seq ?? known.history.lastSeq);
    return this.#shown ?? momentOf(this.#now, this.#now.history.lastSeq);
  }

  #want(seq: number): void {
    this.#wanted = begin(seq);
    if (!this.#isReading) void this.#read();
  }

  /** One at a time, and always the one that was asked for last: who drags passes over most. */
  async #read(): Promise<void> {
    this.#isReading = true;
    for (let from = this.#wanted; from !== null; from = this.#wanted) {
      this.#wanted = null;
      const stretch = await this.#readStretch(from).catch(() => null); // it is asked for again when it is looked at
      if (stretch !== null) this.#keep(from, stretch);
      this.#onChange();
    }
    this.#isReading = false;
  }

  async #readStretch(from: number): Promise<Stretch> {
    const [outline, steps, page] = await Promise.all([
      from === 0 ? null : this.#client.getRunOutline(this.#runId, { atSeq: from }),
      from === 0 ? null : this.#readSteps(from),
      this.#client.listEvents(this.#runId, { after: from, limit: STRETCH, payloads: false }),
    ]);
    const stretch = outline === null ? this.#begin() : toStretch(outline, steps);
    stretch.history.append(page.items);
    return stretch;
  }

  #begin(): Stretch {
    return { history: new History(initialState(this.#runId)), groups: this.#hasFewSteps ? null : new Map() };
  }

  /** Null = there are too many. A run has had no more of them before than it has now. */
  async #readSteps(atSeq: number): Promise<readonly StepRow[] | null> {
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

  #keep(from: number, stretch: Stretch): void {
    this.#stretches.delete(from);
    this.#stretches.set(from, stretch);
    for (const oldest of [...this.#stretches.keys()].slice(0, -KEPT)) this.#stretches.delete(oldest);
  }
}

/** The seq behind which the stretch of a seq begins. */
function begin(seq: number): number {
  return Math.floor((seq - 1) / STRETCH) * STRETCH;
}

function toStretch({ run, steps, groups }: RunOutline, all: readonly StepRow[] | null): Stretch {
  if (all !== null) return { history: new History(toRunState(run, all)), groups: null };
  const tallies = new Map(groups.map(({ stepId, ...tally }) => [stepId, tally]));
  return { history: new History(toRunState(run, steps)), groups: tallies };
}

function momentOf({ history, groups }: Stretch, seq: number): LongMoment {
  const at = Math.min(seq, history.lastSeq);
  const after = groups === null ? null : tallyAfter(groups, history.eventsUpTo(at));
  return { state: history.stateAt(at), event: history.event(at), groups: after };
}
