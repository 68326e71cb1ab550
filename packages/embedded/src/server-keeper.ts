import { acquireServer, type Held } from "./acquire-server.js";
import type { Cluster } from "./cluster.js";
import type { EmbeddedPostgres } from "./embedded-postgres.js";
import { findServer } from "./running-server.js";
import { sendSignal, stopServer } from "./stop-server.js";
import { keepingAlive, pauseUnless } from "./timing.js";

/** Linux reads /proc; other systems start a `ps` for every check. */
const LOOK_EVERY_MS = process.platform === "linux" ? 250 : 2_000;
const LOOK_AGAIN_AFTER_FAULT_MS = 2_000;

interface Parts {
  readonly cluster: Cluster;
  readonly held: Held;
  readonly url: string;
  /** Logs a notable event. */
  readonly log: (line: string) => void;
  /** Logs a problem that needs action. */
  readonly warn: (line: string) => void;
}

/** Keeps a server available under one URL while this process needs it, no matter which process launches it. */
export class ServerKeeper implements EmbeddedPostgres {
  readonly url: string;
  readonly #cluster: Cluster;
  readonly #log: (line: string) => void;
  readonly #warn: (line: string) => void;
  readonly #port: number;
  readonly #stopping = new AbortController();
  readonly #watching: Promise<void>;
  #held: Held;
  #stopped: Promise<void> | null = null;
  /** The last reported fault: a lasting fault is reported once. */
  #fault = "";

  constructor({ cluster, held, url, log, warn }: Parts) {
    this.url = url;
    this.#cluster = cluster;
    this.#held = held;
    this.#log = log;
    this.#warn = warn;
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

  /** If the kernel does not stop the server with this process, a regular exit does. */
  readonly #endWithProcess = (): void => {
    if (this.#held.role === "owner" && !this.#held.server.hasEnded()) sendSignal(this.#held.server.pid, "SIGINT");
  };

  async #watch(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        if (!(await this.#isServed())) await this.#restore();
        await pauseUnless(this.#stopping.signal, LOOK_EVERY_MS);
      } catch (error) {
        if (!this.#stopping.signal.aborted) this.#report(error instanceof Error ? error.message : String(error));
        await pauseUnless(this.#stopping.signal, LOOK_AGAIN_AFTER_FAULT_MS);
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
    const { role, server } = this.#held;
    if (server.port !== this.#port) return this.#report(this.#moved(server.port));
    this.#fault = "";
    if (role === "owner") this.#log(`The server of ${this.dataDir} was gone; this process has restarted it.`);
  }

  #moved(port: number): string {
    const what = `The database in ${this.dataDir} has moved from port ${this.#port}, which was taken, to ${port}`;
    return `${what}: start this program again.`;
  }

  #report(line: string): void {
    if (line !== this.#fault) this.#warn(line);
    this.#fault = line;
  }
}
