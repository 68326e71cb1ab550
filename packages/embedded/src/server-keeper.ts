import { acquireServer, type Held } from "./acquire-server.js";
import type { Cluster } from "./cluster.js";
import type { EmbeddedPostgres } from "./embedded-postgres.js";
import { findServer } from "./running-server.js";
import { sendSignal, stopServer } from "./stop-server.js";
import { keepingAlive, pause } from "./timing.js";

/** Linux answers from /proc; elsewhere every look starts a `ps`. */
const LOOK_EVERY_MS = process.platform === "linux" ? 250 : 2_000;
const LOOK_AGAIN_AFTER_FAULT_MS = 2_000;

interface Parts {
  readonly cluster: Cluster;
  readonly held: Held;
  readonly url: string;
  readonly log: (line: string) => void;
}

/** Keeps a server behind one URL for as long as this process wants it, whoever launches it. */
export class ServerKeeper implements EmbeddedPostgres {
  readonly url: string;
  readonly #cluster: Cluster;
  readonly #log: (line: string) => void;
  readonly #port: number;
  readonly #stopping = new AbortController();
  readonly #watching: Promise<void>;
  #held: Held;
  #stopped: Promise<void> | null = null;
  /** What was last reported: a fault that lasts is told once. */
  #fault = "";

  constructor({ cluster, held, url, log }: Parts) {
    this.url = url;
    this.#cluster = cluster;
    this.#held = held;
    this.#log = log;
    this.#port = held.server.port;
    process.on("exit", this.#endWithProcess);
    this.#watching = this.#watch();
  }

  get dataDir(): string {
    return this.#cluster.directory.path;
  }

  get version(): string {
    return this.#cluster.binaries.version;
  }

  get role(): "owner" | "attached" {
    return this.#held.role;
  }

  stop(): Promise<void> {
    this.#stopped ??= keepingAlive(() => this.#stop());
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
    await this.#watching;
    if (this.#held.role === "owner") await stopServer(this.#held.server.pid, this.#held.server.hasEnded);
    process.off("exit", this.#endWithProcess);
  }

  /** Where the kernel does not do it for us, at least an orderly exit takes the server along. */
  readonly #endWithProcess = (): void => {
    if (this.#held.role === "owner" && !this.#held.server.hasEnded()) sendSignal(this.#held.server.pid, "SIGINT");
  };

  async #watch(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        if (!(await this.#isServed())) await this.#restore();
        await this.#rest(LOOK_EVERY_MS);
      } catch (error) {
        if (!this.#stopping.signal.aborted) this.#report(error instanceof Error ? error.message : String(error));
        await this.#rest(LOOK_AGAIN_AFTER_FAULT_MS);
      }
    }
  }

  async #isServed(): Promise<boolean> {
    if (this.#held.role === "owner") return !this.#held.server.hasEnded();
    const running = await findServer(this.#cluster.directory.pgdata);
    return running !== null && running.pid === this.#held.server.pid && !running.orphaned;
  }

  async #restore(): Promise<void> {
    this.#held = await acquireServer(this.#cluster, { port: this.#port, signal: this.#stopping.signal });
    const { path } = this.#cluster.directory;
    if (this.#held.server.port !== this.#port)
      this.#report(
        `The database in ${path} moved from port ${this.#port}, which was taken, to ${this.#held.server.port}: start this program again.`,
      );
    else if (this.#held.role === "owner") this.#report(`The server of ${path} was gone; this process restarted it.`);
    else this.#fault = "";
  }

  #report(line: string): void {
    if (line !== this.#fault) this.#log(line);
    this.#fault = line;
  }

  /** Ends early when we are to stop. */
  async #rest(ms: number): Promise<void> {
    const step = 50;
    for (let rested = 0; rested < ms && !this.#stopping.signal.aborted; rested += step) await pause(step);
  }
}
