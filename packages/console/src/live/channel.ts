/** One stream of the server, for everybody in this browser who watches its subject. */
import { ProblemError, type RunEvent, type RunledgerClient, type RunSummary } from "@runledger/client";
import type { HubNews, Subject } from "./protocol.js";

export type Listener = (news: HubNews) => void;

/** Events that come within this time are told together: a busy run must not cost a message each. */
const GATHER_MS = 50;

export class Channel {
  readonly #listeners = new Set<Listener>();
  readonly #abort = new AbortController();
  readonly #client: RunledgerClient;
  /** Of a list: what a latecomer is told first. */
  readonly #runs = new Map<string, RunSummary>();
  #hasList = false;
  #gathered: RunEvent[] = [];
  #connection: "connected" | "lost" | null = null;

  constructor(client: RunledgerClient, subject: Subject) {
    this.#client = client;
    this.#follow(subject).catch((error: unknown) => this.#fail(error));
  }

  get isWatched(): boolean {
    return this.#listeners.size > 0;
  }

  /** Whoever watches a run may miss events that were sent before, and reads them from the log. */
  add(listener: Listener): void {
    this.#listeners.add(listener);
    if (this.#connection !== null) listener({ type: "connection", state: this.#connection });
    if (this.#hasList)
      listener({ type: "runs", message: { type: "snapshot", runs: [...this.#runs.values()], gone: [] } });
  }

  remove(listener: Listener): void {
    this.#listeners.delete(listener);
  }

  close(): void {
    this.#abort.abort();
  }

  async #follow(subject: Subject): Promise<void> {
    const { signal } = this.#abort;
    const onConnection = (state: "connected" | "lost"): void => {
      this.#connection = state;
      this.#tell({ type: "connection", state });
    };
    if (subject.kind === "run") {
      const { runId, after } = subject;
      const options = { after, payloads: false, forever: true, signal, onConnection };
      for await (const event of this.#client.streamRun(runId, options)) this.#gather(event);
    } else {
      for await (const message of this.#client.streamRuns(subject.query, { signal, onConnection })) {
        if (message.type === "snapshot") this.#runs.clear();
        for (const run of message.runs) this.#runs.set(run.runId, run);
        for (const runId of message.gone) this.#runs.delete(runId);
        this.#hasList = true;
        this.#tell({ type: "runs", message });
      }
    }
  }

  #gather(event: RunEvent): void {
    this.#gathered.push(event);
    if (this.#gathered.length === 1) setTimeout(() => this.#tellGathered(), GATHER_MS);
  }

  #tellGathered(): void {
    const events = this.#gathered;
    this.#gathered = [];
    this.#tell({ type: "events", events });
  }

  #fail(error: unknown): void {
    if (error instanceof ProblemError) this.#tell({ type: "failed", problem: error.problem });
  }

  #tell(news: HubNews): void {
    for (const listener of this.#listeners) listener(news);
  }
}
