/**
 * Workers side by side. One is left alone: whatever happens to the others, somebody is there to take over. Beside it,
 * each lane starts one after the other, and sees to it that each meets its fate.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bundledProgram } from "../../support/bundled-program.js";
import type { Database } from "./database.js";
import { nameOf, type Fate, type WorkerFate } from "./fates.js";
import { WorkerChild } from "./worker-child.js";

const PROGRAM = "tests/chaos/engine/worker-process.ts";
const LANES = 3;
const LEASE_MS = 800;
/** Whatever has not happened by then never will. */
const PATIENCE_MS = 30_000;

export interface ClusterParts {
  readonly url: string;
  readonly folder: string;
  readonly database: Database;
}

export class Cluster {
  /** How often each kind of fate was met. */
  readonly hits = new Map<string, number>();
  /** What should not have happened. */
  readonly faults: string[] = [];
  readonly #parts: ClusterParts;
  readonly #running = new Set<WorkerChild>();
  #started = 0;
  #server: Promise<void> = Promise.resolve();

  constructor(parts: ClusterParts) {
    this.#parts = parts;
  }

  /** Until all fates were met. */
  async suffer(fates: readonly Fate[]): Promise<void> {
    const left = [...fates];
    const lane = async (): Promise<void> => {
      for (let fate = left.shift(); fate !== undefined; fate = left.shift()) await this.#suffer(fate);
    };
    await this.#start(null);
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  /** Every worker is asked to stop, and does. */
  async stop(): Promise<void> {
    await Promise.all([...this.#running].map((child) => this.#end(child, "SIGTERM")));
  }

  kill(): void {
    for (const child of this.#running) child.kill("SIGKILL");
  }

  async #suffer(fate: Fate): Promise<void> {
    if (!("at" in fate)) return this.#strikeServer(fate.signal);
    const child = await this.#start(fate);
    const met = await child.until(() => child.hasMet || child.hasEnded, fate.afterMs);
    this.#hit(met ? fate : { ...fate, at: null });
    if (!met) child.kill(fate.signal); // from outside, wherever it is
    if (fate.signal === "SIGSTOP") await this.#goOn(child, fate);
    else await this.#end(child, "SIGKILL");
  }

  /** One after the other: a server that is down cannot be killed. */
  #strikeServer(what: "postmaster" | "backend"): Promise<void> {
    const { database } = this.#parts;
    const isUp = async (): Promise<boolean> => (await database.openRuns()) !== null;
    const strike = async (): Promise<void> => {
      await this.#eventually("the server is up", isUp);
      this.#hit({ signal: what });
      if (what === "backend") await database.killBackend();
      else await database.killPostmaster();
      await this.#eventually(`the server is up again after ${what}`, isUp);
    };
    this.#server = this.#server.then(strike);
    return this.#server;
  }

  /** It stands still until others own what it owned; then it wakes up, and believes that it still does. */
  async #goOn(child: WorkerChild, { then, thenAfterMs }: WorkerFate): Promise<void> {
    const { workerId, name } = child;
    await sleep(LEASE_MS);
    if (workerId !== null) {
      const isFree = async (): Promise<boolean> => (await this.#parts.database.ownedBy(workerId)) === 0;
      await this.#eventually(`the runs of ${name}, which stands still, are taken over`, isFree);
    }
    child.kill("SIGCONT");
    await sleep(thenAfterMs);
    await this.#end(child, then);
  }

  async #start(fate: WorkerFate | null): Promise<WorkerChild> {
    const { url, folder } = this.#parts;
    const name = `worker-${++this.#started}`;
    const journal = join(folder, `${name}.jsonl`);
    const told = { url, name, journal, charges: join(folder, "charges"), fate, leaseMs: LEASE_MS };
    const child = new WorkerChild(await bundledProgram(PROGRAM), told);
    this.#running.add(child);
    await child.until(() => child.workerId !== null || child.hasMet || child.hasEnded, PATIENCE_MS);
    return child;
  }

  /** However often it stops itself: it may meet its fate only now. */
  async #end(child: WorkerChild, signal: NodeJS.Signals): Promise<void> {
    child.kill(signal);
    const last = performance.now() + PATIENCE_MS;
    while (!child.hasEnded && performance.now() < last) {
      child.kill("SIGCONT");
      await child.until(() => child.hasEnded, 500);
    }
    if (!child.hasEnded) this.faults.push(`${child.name} does not end after ${signal}`);
    child.kill("SIGKILL");
    const { code } = await child.ended;
    this.#running.delete(child);
    if (signal === "SIGTERM" && code !== 0) this.faults.push(`${child.name} was asked to stop and ended with ${code}`);
  }

  async #eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    while (!(await isSo())) {
      if (performance.now() > end) return void this.faults.push(`not so: ${what}`);
      await sleep(50);
    }
  }

  #hit(fate: Fate): void {
    this.hits.set(nameOf(fate), (this.hits.get(nameOf(fate)) ?? 0) + 1);
  }
}
