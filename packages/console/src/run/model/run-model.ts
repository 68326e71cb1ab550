/**
 * A run in the browser. First its header and steps as the server has them, so that something is seen at once; then its
 * events without payloads, from which everything is known, at every seq; and what happens, as it happens. All of it is
 * folded by the same `evolve` as everywhere.
 */
import type { RunEvent, RunledgerClient } from "@runledger/client";
import type { CanonicalEngineEvent, Plan, RunHeader, StepRow } from "@runledger/contracts";
import { evolveAll, toRunState, type RunState } from "@runledger/core";
import type { HubNews, Subject } from "../../live/protocol.js";
import { Attempts } from "./attempts.js";
import { History } from "./history.js";
import { landmarkOf } from "./landmarks.js";
import { headerOf, rowsOf, pathsOf, spanOf, viewRow, windowOf, type Shown } from "./make-view.js";
import { stateRows } from "./state-rows.js";
import type { Landmark, Look, RunView } from "./view.js";

const STEPS_PER_PAGE = 1000;
const EVENTS_PER_PAGE = 1000;
/** Of a longer log the events are not kept here; a moment of it is asked of the server. */
const MOST_EVENTS = 100_000;
const MOST_STEPS = 50_000;

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

  constructor(runId: string, ports: ModelPorts) {
    this.#runId = runId;
    this.#ports = ports;
    this.#history = new History(runId);
  }

  setPlan(plan: Plan | null): void {
    this.#plan = plan;
    this.#ports.onChange();
  }

  async open(): Promise<void> {
    try {
      const header = (await this.#ports.client.getRun(this.#runId)) as unknown as RunHeader;
      this.#headSeq = header.lastEventSeq;
      this.#live = toRunState(header, []);
      this.#ports.watch({ kind: "run", runId: this.#runId, after: header.lastEventSeq }, (news) => this.#hear(news));
      await Promise.all([this.#loadSteps(header), this.#loadEvents()]);
    } catch (error) {
      this.#ports.onFailure(error);
    }
  }

  /** Null = nothing is known yet. */
  view(look: Look): RunView | null {
    const shown = this.#shown(look);
    if (shown === null) return null;
    const places = rowsOf(shown, look);
    const { lastEventSeq } = shown.state;
    return {
      header: headerOf(shown),
      headSeq: this.#headSeq,
      seq: lastEventSeq,
      at: this.#eventAt(lastEventSeq),
      rowCount: places.length,
      from: look.from,
      rows: places.slice(look.from, look.to).map((place) => viewRow(place, shown, look)),
      time: { ...shown.window, now: shown.now },
      whole: shown.span,
      landmarks: this.#landmarks.filter(({ seq }) => seq <= lastEventSeq),
      paths: pathsOf(shown),
      loaded: { steps: stateRows(shown.state).length, events: this.#history.lastSeq },
    };
  }

  #shown({ seq, zoom }: Look): Shown | null {
    const latest = this.#latest();
    if (latest === null) return null;
    const span = spanOf(latest, Date.now());
    const known = {
      plan: this.#plan,
      attempts: this.#attempts,
      eventsTo: this.#history.lastSeq,
      span,
      window: windowOf(span, zoom),
    };
    if (seq === null || seq >= this.#headSeq || seq > this.#history.lastSeq)
      return { ...known, state: latest, now: span.to };
    return {
      ...known,
      state: this.#history.stateAt(seq),
      now: Date.parse(this.#history.event(seq)!.emittedAt),
    };
  }

  /** The fold of all events, once they are here; until then what the server said first. */
  #latest(): RunState | null {
    return this.#history.lastSeq >= this.#headSeq && this.#headSeq > 0 ? this.#history.latest : this.#live;
  }

  #eventAt(seq: number): RunView["at"] {
    const event = this.#history.event(seq);
    if (event === undefined) return null;
    return { time: event.emittedAt, type: event.eventType, stepId: event.stepId ?? null };
  }

  async #loadSteps(header: RunHeader): Promise<void> {
    const rows: StepRow[] = [];
    for (let after: number | undefined; rows.length < MOST_STEPS;) {
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

  async #loadEvents(): Promise<void> {
    while (this.#history.lastSeq < Math.min(this.#headSeq, MOST_EVENTS)) {
      const after = this.#history.lastSeq;
      const page = await this.#ports.client.listEvents(this.#runId, { after, limit: EVENTS_PER_PAGE, payloads: false });
      if (page.items.length === 0) return;
      this.#keep(page.items);
    }
  }

  #hear(news: HubNews): void {
    if (news.type === "connection") this.#ports.onConnection(news.state);
    if (news.type === "failed") this.#ports.onFailure(news.problem);
    if (news.type !== "events") return;
    if (this.#history.lastSeq < this.#headSeq) this.#news.push(...(news.events as readonly CanonicalEngineEvent[]));
    this.#keep(news.events);
  }

  #keep(events: readonly RunEvent[]): void {
    const fresh = events as readonly CanonicalEngineEvent[];
    const taken = this.#history.append([...this.#early, ...fresh].sort((a, b) => a.runSeq - b.runSeq));
    this.#early = [...this.#early, ...fresh].filter(({ runSeq }) => runSeq > this.#history.lastSeq);
    this.#attempts.add(taken);
    for (const event of taken) {
      const landmark = landmarkOf(event);
      if (landmark !== null) this.#landmarks.push(landmark);
    }
    if (this.#live !== null) this.#live = evolveAll(this.#live, fresh);
    const last = fresh.at(-1)?.runSeq ?? 0;
    if (last > this.#headSeq) this.#headSeq = last;
    this.#ports.onChange();
    if (this.#early.length > 0) void this.#catchUp();
  }

  /** What lies between what is here and what came early. */
  async #catchUp(): Promise<void> {
    if (this.#catchingUp) return;
    this.#catchingUp = true;
    await this.#loadEvents().catch((error: unknown) => this.#ports.onFailure(error));
    this.#catchingUp = false;
  }
}
