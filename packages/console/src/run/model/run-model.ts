/**
 * A run in the browser. First its header and steps as the server has them, so that something is seen at once; then its
 * events without payloads, from which everything is known, at every seq; and what happens, as it happens. All of it is
 * folded by the same `evolve` as everywhere. Of a long run only what is looked at is read.
 */
import type { RunEvent, RunledgerClient } from "@runledger/client";
import type { CanonicalEngineEvent, Plan, RunHeader, StepRow } from "@runledger/contracts";
import { evolveAll, initialState, toRunState, type RunState } from "@runledger/core";
import type { HubNews, Subject } from "../../live/protocol.js";
import { Attempts } from "./attempts.js";
import { History } from "./history.js";
import { LongLog } from "./long-log.js";
import { landmarkOf } from "./landmarks.js";
import { headerOf, rowsOf, pathsOf, spanOf, viewRow, waitsFor, windowOf, type Shown } from "./make-view.js";
import { stateRows } from "./state-rows.js";
import type { Landmark, Look, RunView } from "./view.js";

const STEPS_PER_PAGE = 500;
const EVENTS_PER_PAGE = 1000;
/** A longer log is not read from its beginning. */
const MOST_EVENTS = 50_000;

export interface ModelPorts {
  readonly client: RunledgerClient;
  watch(subject: Subject, listener: (news: HubNews) => void): () => void;
  /** Something is new: ask for a view. */
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
  #live: RunState | null = null;
  /** What came behind the header that was read first. */
  readonly #news: CanonicalEngineEvent[] = [];
  #headSeq = 0;
  #plan: Plan | null = null;
  /** Events that came before their predecessors were here. */
  #early: CanonicalEngineEvent[] = [];
  #catchingUp = false;
  #isBehind = false;
  /** Of a long run; null = it is read as a whole. */
  #long: LongLog | null = null;

  constructor(runId: string, ports: ModelPorts) {
    this.#runId = runId;
    this.#ports = ports;
    this.#history = new History(initialState(runId));
  }

  setPlan(plan: Plan | null): void {
    this.#plan = plan;
    this.#ports.onChange();
  }

  async open(): Promise<void> {
    try {
      const header = (await this.#ports.client.getRun(this.#runId)) as unknown as RunHeader;
      this.#headSeq = header.lastEventSeq;
      if (this.#headSeq > MOST_EVENTS) await this.#openLong();
      else this.#live = toRunState(header, []);
      this.#ports.watch({ kind: "run", runId: this.#runId, after: header.lastEventSeq }, (news) => this.#hear(news));
      if (this.#long === null) await Promise.all([this.#loadSteps(header), this.#catchUp()]);
    } catch (error) {
      this.#ports.onFailure(error);
    }
  }

  async #openLong(): Promise<void> {
    this.#long = new LongLog(this.#runId, this.#ports.client, () => this.#ports.onChange());
    this.#landmarks.push(...(await this.#long.open()));
  }

  /** Null = nothing is known yet. */
  view(look: Look): RunView | null {
    const shown = this.#shown(look);
    if (shown === null) return null;
    const places = rowsOf(shown, look);
    const { lastEventSeq } = shown.state;
    return {
      header: headerOf(shown),
      waitsFor: waitsFor(shown),
      headSeq: this.#headSeq,
      seq: lastEventSeq,
      at: this.#eventAt(shown),
      rowCount: places.length,
      from: look.from,
      rows: places.slice(look.from, look.to).map((place) => viewRow(place, shown, look)),
      time: { ...shown.window, now: shown.now },
      whole: shown.span,
      landmarks: this.#landmarks.filter(({ seq }) => seq <= lastEventSeq),
      paths: pathsOf(shown),
      extent: shown.groups !== null ? "outline" : this.#long === null ? "whole" : "steps",
      loaded: { steps: stateRows(shown.state).length, events: this.#history.lastSeq },
    };
  }

  #shown({ seq, zoom }: Look): Shown | null {
    const latest = this.#latest();
    if (latest === null) return null;
    const span = spanOf(latest, Date.now());
    const shared = { plan: this.#plan, attempts: this.#attempts, span, window: windowOf(span, zoom) };
    const isNow = seq === null || seq >= this.#headSeq;
    if (this.#long !== null) {
      const { state, event, groups } = this.#long.at(isNow ? null : seq)!;
      const now = isNow || event === undefined ? span.to : Date.parse(event.emittedAt);
      return { ...shared, eventsTo: 0, groups, event, state, now };
    }
    const known = { ...shared, eventsTo: this.#history.lastSeq, groups: null };
    const state = isNow || seq > this.#history.lastSeq ? latest : this.#history.stateAt(seq);
    const event = this.#history.event(state.lastEventSeq);
    const isPast = state !== latest && event !== undefined;
    return { ...known, state, event, now: isPast ? Date.parse(event.emittedAt) : span.to };
  }

  /** The fold of all events, once they are here; until then what the server said first. */
  #latest(): RunState | null {
    if (this.#long !== null) return this.#long.latest;
    return this.#history.lastSeq >= this.#headSeq && this.#headSeq > 0 ? this.#history.latest : this.#live;
  }

  #eventAt({ event }: Shown): RunView["at"] {
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
      this.#live = evolveAll(toRunState(header, rows), this.#news);
      this.#ports.onChange();
      if (page.next === null) return;
      after = Number(page.next);
    }
  }

  /** To the end: whoever joins a stream that others watch may have missed what was told before. */
  async #loadEvents(): Promise<void> {
    for (let isMore = true; isMore;) {
      const after = this.#long?.lastSeq ?? this.#history.lastSeq;
      const page = await this.#ports.client.listEvents(this.#runId, { after, limit: EVENTS_PER_PAGE, payloads: false });
      isMore = page.items.length === EVENTS_PER_PAGE;
      if (page.items.length > 0) this.#keep(page.items);
    }
  }

  #hear(news: HubNews): void {
    if (news.type === "connection") this.#ports.onConnection(news.state);
    if (news.type === "connection" && news.state === "connected") void this.#catchUp();
    if (news.type === "failed") this.#ports.onFailure(news.problem);
    if (news.type !== "events") return;
    if (this.#long === null && this.#history.lastSeq < this.#headSeq)
      this.#news.push(...(news.events as readonly CanonicalEngineEvent[]));
    this.#keep(news.events);
  }

  #keep(events: readonly RunEvent[]): void {
    const fresh = events as readonly CanonicalEngineEvent[];
    if (this.#long !== null) return this.#keepLong(fresh);
    const taken = this.#history.append([...this.#early, ...fresh].sort((a, b) => a.runSeq - b.runSeq));
    this.#early = [...this.#early, ...fresh].filter(({ runSeq }) => runSeq > this.#history.lastSeq);
    this.#attempts.add(taken);
    this.#landmarks.push(...taken.flatMap((event) => landmarkOf(event) ?? []));
    if (this.#live !== null) this.#live = evolveAll(this.#live, fresh);
    const last = fresh.at(-1)?.runSeq ?? 0;
    if (last > this.#headSeq) this.#headSeq = last;
    this.#ports.onChange();
    if (this.#early.length > 0) void this.#catchUp();
  }

  #keepLong(fresh: readonly CanonicalEngineEvent[]): void {
    const taken = this.#long?.append(fresh) ?? [];
    this.#landmarks.push(...taken.flatMap((event) => landmarkOf(event) ?? []));
    this.#headSeq = Math.max(this.#headSeq, fresh.at(-1)?.runSeq ?? 0);
    this.#ports.onChange();
    if ((this.#long?.lastSeq ?? 0) < this.#headSeq) void this.#catchUp();
  }

  /** What lies between what is here and what came early, and what was missed. */
  async #catchUp(): Promise<void> {
    this.#isBehind = true;
    if (this.#catchingUp) return;
    this.#catchingUp = true;
    while (this.#isBehind) {
      this.#isBehind = false; // unless something happens meanwhile
      await this.#loadEvents().catch((error: unknown) => this.#ports.onFailure(error));
    }
    this.#catchingUp = false;
  }
}
