/**
 * The model of a run in the browser. It first loads the header and the steps, so that the page shows something immediately.
 * Then it loads all events without payloads, which give the state at every seq, and follows new events. The same `evolve` as
 * everywhere folds them. For a long run it loads only the parts that the user looks at.
 */
import { ProblemError, type RunEvent, type RunledgerClient } from "@runledger/client";
import { LogGapError, type CanonicalEngineEvent, type Plan, type RunHeader, type StepRow } from "@runledger/contracts";
import { beforeGap, evolveAll, initialState, toRunState, type RunState } from "@runledger/core";
import type { HubUpdate, Subject } from "../../live/protocol.js";
import { Attempts } from "./attempts.js";
import { cancelIn } from "./cancel-in.js";
import { History } from "./history.js";
import { LongLog } from "./long-log.js";
import { landmarkOf } from "./landmarks.js";
import { containersOf, innerViews } from "./inner-view.js";
import { headerOf, rowsOf, pathsOf, spanOf, viewRow, waitsFor, windowOf, type ViewSource } from "./make-view.js";
import { stateRows } from "./state-rows.js";
import { makeScale } from "./time-scale.js";
import type { Landmark, ViewQuery, RunView } from "./view.js";
import { lengthOf, WorkTime } from "./work-time.js";

const STEPS_PER_PAGE = 500;
const EVENTS_PER_PAGE = 1000;
/** A longer log is loaded in parts. */
const MAX_EVENTS = 50_000;

/** A page of the log: its jumps are gaps that stay empty up to `settledSeq` (P10). */
interface LoadedPage {
  readonly settledSeq?: number | undefined;
}

const BEHIND = "The server cannot read this run completely. Events may be missing from its log.";

interface Damage {
  readonly message: string;
  /** The damage is over when later events are known: a gap has filled, or stays empty (P10). */
  readonly afterSeq: number;
}

export interface ModelPorts {
  readonly client: RunledgerClient;
  watch(subject: Subject, listener: (update: HubUpdate) => void): () => void;
  /** Called when a new view is available. */
  onChange(): void;
  onConnection(state: "connected" | "lost"): void;
  onFailure(error: unknown): void;
}

export class RunModel {
  readonly #runId: string;
  readonly #ports: ModelPorts;
  readonly #history: History;
  readonly #attempts = new Attempts();
  readonly #landmarks: Landmark[] = [];
  #workTime = new WorkTime(null);
  #cancelledBy: ViewSource["cancelledBy"] = null;
  #live: RunState | null = null;
  /** Events after the header that was loaded first. */
  readonly #newEvents: CanonicalEngineEvent[] = [];
  #headSeq = 0;
  #plan: Plan | null = null;
  /** Events that arrived before their predecessors. */
  #early: CanonicalEngineEvent[] = [];
  #catchingUp = false;
  #isBehind = false;
  #damage: Damage | null = null;
  /** `null` if the run is short enough to load completely. */
  #long: LongLog | null = null;

  constructor(runId: string, ports: ModelPorts) {
    this.#runId = runId;
    this.#ports = ports;
    this.#history = new History(initialState(runId));
  }

  setPlan(plan: Plan | null): void {
    this.#plan = plan;
    this.#workTime = new WorkTime(plan);
    this.#workTime.add(this.#history.eventsUpTo(this.#history.lastSeq));
    this.#ports.onChange();
  }

  async open(): Promise<void> {
    try {
      const header: RunHeader = await this.#ports.client.getRun(this.#runId);
      this.#headSeq = header.lastEventSeq;
      if (header.stale === true) this.#damage = { message: BEHIND, afterSeq: this.#headSeq };
      if (this.#headSeq > MAX_EVENTS) await this.#openLong();
      else this.#live = toRunState(header, []);
      this.#ports.watch({ kind: "run", runId: this.#runId, after: header.lastEventSeq }, (update) =>
        this.#receive(update),
      );
      if (this.#long === null) await Promise.all([this.#loadSteps(header), this.#catchUp()]);
    } catch (error) {
      this.#ports.onFailure(error);
    }
  }

  async #openLong(): Promise<void> {
    this.#long = new LongLog(this.#runId, this.#ports.client, () => this.#ports.onChange());
    this.#landmarks.push(...(await this.#long.open()));
  }

  /** Returns `null` until the header is loaded. */
  view(query: ViewQuery): RunView | null {
    const source = this.#source(query);
    if (source === null) return null;
    const places = rowsOf(source, query);
    const { lastEventSeq } = source.state;
    return {
      header: headerOf(source),
      waitsFor: waitsFor(source),
      headSeq: this.#headSeq,
      damage: this.#damage?.message ?? null,
      seq: lastEventSeq,
      at: this.#eventAt(source),
      rowCount: places.length,
      from: query.from,
      rows: places.slice(query.from, query.to).map((place) => viewRow(place, source, query)),
      selectedRow: placeOf(query.step, places),
      time: { ...source.scale, now: source.now },
      idleMs: this.#idleMs(source),
      whole: source.span,
      landmarks: this.#landmarks.filter(({ seq }) => seq <= lastEventSeq),
      paths: pathsOf(source),
      containers: containersOf(source),
      inner: innerViews(source, query),
      extent: source.groups !== null ? "outline" : this.#long === null ? "whole" : "steps",
      loaded: { steps: stateRows(source.state).length, events: this.#history.lastSeq },
    };
  }

  #source({ seq, zoom }: ViewQuery): ViewSource | null {
    const latest = this.#latest();
    if (latest === null) return null;
    const span = spanOf(latest, Date.now());
    const window = windowOf(span, zoom);
    const scale = makeScale(window, this.#isWhole() ? this.#workTime.idleIn(span) : []);
    const shared = { plan: this.#plan, attempts: this.#attempts, cancelledBy: this.#cancelledBy, span, scale };
    const isLatest = seq === null || seq >= this.#headSeq;
    if (this.#long !== null) {
      const { state, event, groups } = this.#long.at(isLatest ? null : seq)!;
      const now = isLatest || event === undefined ? span.to : Date.parse(event.emittedAt);
      return { ...shared, eventsTo: 0, groups, event, state, now };
    }
    const known = { ...shared, eventsTo: this.#history.lastSeq, groups: null };
    const state = isLatest || seq > this.#history.lastSeq ? latest : this.#history.stateAt(seq);
    const event = this.#history.event(state.lastEventSeq);
    const isPast = state !== latest && event !== undefined;
    return { ...known, state, event, now: isPast ? Date.parse(event.emittedAt) : span.to };
  }

  /** All events are loaded, so that the time in which steps worked is known. */
  #isWhole(): boolean {
    return this.#long === null && this.#headSeq > 0 && this.#history.lastSeq >= this.#headSeq;
  }

  #idleMs({ state: { details }, now }: ViewSource): number | null {
    if (details.startedAt === undefined || !this.#isWhole()) return null;
    const to = details.completedAt === undefined ? now : Date.parse(details.completedAt);
    return lengthOf(this.#workTime.idleIn({ from: Date.parse(details.startedAt), to }));
  }

  /** The fold of all events once they are loaded, until then the state that the server returned first. */
  #latest(): RunState | null {
    if (this.#long !== null) return this.#long.latest;
    return this.#isWhole() ? this.#history.latest : this.#live;
  }

  #eventAt({ event }: ViewSource): RunView["at"] {
    if (event === undefined) return null;
    return { time: event.emittedAt, type: event.eventType, stepId: event.stepId ?? null };
  }

  async #loadSteps(header: RunHeader): Promise<void> {
    const rows: StepRow[] = [];
    for (let after: number | undefined; ;) {
      const page = await this.#ports.client.listSteps(this.#runId, {
        limit: STEPS_PER_PAGE,
        ...(after !== undefined && { after }),
      });
      rows.push(...(page.items as unknown as StepRow[]));
      const state = toRunState(header, rows);
      this.#live = evolveAll(state, beforeGap(state.lastEventSeq, this.#newEvents).events);
      this.#ports.onChange();
      if (page.next === null) return;
      after = Number(page.next);
    }
  }

  /** Loads all events to the end of the log. A page that joins a shared stream may have missed earlier ones. */
  async #loadEvents(): Promise<void> {
    for (let isMore = true; isMore;) {
      const after = this.#long?.lastSeq ?? this.#history.lastSeq;
      const page = await this.#ports.client.listEvents(this.#runId, { after, limit: EVENTS_PER_PAGE, payloads: false });
      isMore = page.next !== null;
      if (page.items.length > 0) this.#keep(page.items, page);
      isMore &&= (this.#long?.lastSeq ?? this.#history.lastSeq) > after;
    }
  }

  #receive(update: HubUpdate): void {
    if (update.type === "connection") this.#ports.onConnection(update.state);
    if (update.type === "connection" && update.state === "connected") void this.#catchUp();
    if (update.type === "failed" && update.problem.code === "LOG_GAP") this.#report(update.problem.detail);
    else if (update.type === "failed") this.#ports.onFailure(update.problem);
    if (update.type !== "events") return;
    if (this.#long === null && this.#history.lastSeq < this.#headSeq) this.#newEvents.push(...update.events);
    this.#keep(update.events);
  }

  /** Events that were just loaded start no further load: if they do not fit, events are missing from the log (F6). */
  #keep(events: readonly RunEvent[], loaded?: LoadedPage): void {
    if (this.#long !== null) return this.#keepLong(events, loaded);
    const { settledSeq = 0 } = loaded ?? {};
    const known = [...this.#early, ...events].sort((a, b) => a.runSeq - b.runSeq);
    const appended = this.#history.append(known, settledSeq);
    this.#early = [...this.#early, ...events].filter(({ runSeq }) => runSeq > this.#history.lastSeq);
    this.#attempts.add(appended);
    this.#workTime.add(appended);
    this.#cancelledBy = appended.map(cancelIn).findLast((one) => one !== null) ?? this.#cancelledBy;
    this.#landmarks.push(...appended.flatMap((event) => landmarkOf(event) ?? []));
    this.#foldLive(events, settledSeq);
    this.#headSeq = Math.max(this.#headSeq, events.at(-1)?.runSeq ?? 0);
    this.#endDamage(this.#history.lastSeq);
    this.#ports.onChange();
    if (this.#early.length > 0 && loaded === undefined) void this.#catchUp();
  }

  /** The server's first state may be behind the events, or ahead of them. Nothing is folded past a gap (F6). */
  #foldLive(events: readonly RunEvent[], settledSeq: number): void {
    if (this.#live === null) return;
    this.#live = evolveAll(this.#live, beforeGap(this.#live.lastEventSeq, events, settledSeq).events);
  }

  #keepLong(incoming: readonly CanonicalEngineEvent[], loaded?: LoadedPage): void {
    const appended = this.#long?.append(incoming, loaded?.settledSeq ?? 0) ?? [];
    this.#landmarks.push(...appended.flatMap((event) => landmarkOf(event) ?? []));
    this.#headSeq = Math.max(this.#headSeq, incoming.at(-1)?.runSeq ?? 0);
    this.#endDamage(this.#long?.lastSeq ?? 0);
    this.#ports.onChange();
    if ((this.#long?.lastSeq ?? 0) < this.#headSeq && loaded === undefined) void this.#catchUp();
  }

  /** Loads the events that are missing before early ones, and those that the stream missed. */
  async #catchUp(): Promise<void> {
    this.#isBehind = true;
    if (this.#catchingUp) return;
    this.#catchingUp = true;
    while (this.#isBehind) {
      this.#isBehind = false; // another call may set it while events load
      const isLoaded = await this.#loadEvents().then(
        () => true,
        (error: unknown) => this.#fail(error),
      );
      if (isLoaded && !this.#isBehind) this.#reportGap();
    }
    this.#catchingUp = false;
  }

  /** All events were loaded. If some are missing before early ones or before the head, the log has lost them (F6). */
  #reportGap(): void {
    const lastSeq = this.#long?.lastSeq ?? this.#history.lastSeq;
    if (lastSeq >= this.#headSeq) return;
    const [early] = this.#early;
    const gap = { from: lastSeq + 1, to: early === undefined ? this.#headSeq : early.runSeq - 1 };
    this.#report(new LogGapError(this.#runId, gap).message);
  }

  #fail(error: unknown): false {
    if (error instanceof ProblemError && error.problem.code === "LOG_GAP") this.#report(error.problem.detail);
    else this.#ports.onFailure(error);
    return false;
  }

  #report(message: string): void {
    this.#damage = { message, afterSeq: this.#headSeq };
    this.#ports.onChange();
  }

  #endDamage(lastSeq: number): void {
    if (this.#damage !== null && lastSeq > this.#damage.afterSeq) this.#damage = null;
  }
}

function placeOf(stepId: string | null, places: readonly { readonly stepId: string }[]): number | null {
  const place = stepId === null ? -1 : places.findIndex((one) => one.stepId === stepId);
  return place === -1 ? null : place;
}
