/**
 * Runs workers in parallel. One is never disturbed, so that a worker can always take over. Beside it, each lane starts one
 * worker after another and makes sure that each meets its fault.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bundledProgram } from "@runledger/test-support/bundled-program";
import type { Database } from "./database.js";
import { nameOf, type PlannedFault, type Strike, type WorkerFault } from "./planned-faults.js";
import { WorkerChild } from "./worker-child.js";

const LANES = 3;
/** Upper limit for every wait. */
const PATIENCE_MS = 240_000;

export interface ClusterParts {
  readonly url: string;
  readonly folder: string;
  readonly database: Database;
  readonly workers: WorkerKind;
  /** Faults of servers other than the database. Each resolves when the server is back. */
  readonly strikes: Readonly<Partial<Record<Strike, () => Promise<void>>>>;
}

/** The workers of an engine. */
export interface WorkerKind {
  /** Bundles the program. Returns its path and arguments. */
  readonly program: () => Promise<readonly string[]>;
  readonly leaseMs: number;
  /** A worker that is suspended for this long has lost its work. */
  readonly suspendMs: number;
  /** `true` if all workers hold runs under one id. */
  readonly isShared: boolean;
}

export const embeddedWorkers: WorkerKind = {
  program: async () => [await bundledProgram("tests/chaos/engine/worker-process.ts")],
  leaseMs: 800,
  suspendMs: 800,
  isShared: false,
};

export class Cluster {
  /** Number of unexpected by kind. */
  readonly hits = new Map<string, number>();
  /** Unexpected events. */
  readonly unexpected: string[] = [];
  readonly #parts: ClusterParts;
  readonly #running = new Set<WorkerChild>();
  #started = 0;
  #server: Promise<void> = Promise.resolve();

  constructor(parts: ClusterParts) {
    this.#parts = parts;
  }

  /** Runs until all unexpected have happened. */
  async injectFaults(faults: readonly PlannedFault[]): Promise<void> {
    const left = [...faults];
    const lane = async (): Promise<void> => {
      for (let fault = left.shift(); fault !== undefined; fault = left.shift()) await this.#inject(fault);
    };
    await this.#start(null);
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  /** Asks every worker to stop and waits for it. */
  async stop(): Promise<void> {
    await Promise.all([...this.#running].map((child) => this.#end(child, "SIGTERM")));
  }

  kill(): void {
    for (const child of this.#running) child.kill("SIGKILL");
  }

  async #inject(fault: PlannedFault): Promise<void> {
    if (!("at" in fault)) return this.#strikeServer(fault.signal);
    const child = await this.#start(fault);
    const met = await child.until(() => child.hasReachedFault || child.hasEnded, fault.afterMs);
    this.#hit(met ? fault : { ...fault, at: null });
    if (!met) child.kill(fault.signal); // from outside, at any point
    if (fault.signal === "SIGSTOP") await this.#resume(child, fault);
    else await this.#end(child, "SIGKILL");
  }

  /** One at a time: a stopped server cannot be killed. */
  #strikeServer(what: Strike): Promise<void> {
    const { database, strikes } = this.#parts;
    const isUp = async (): Promise<boolean> => (await database.openRuns()) !== null;
    const strike = async (): Promise<void> => {
      await this.#eventually("the server is up", isUp);
      this.#hit({ signal: what });
      if (what === "backend") await database.killBackend();
      else if (what === "postmaster") await database.killPostmaster();
      else await strikes[what]?.();
      await this.#eventually(`the server is up again after ${what}`, isUp);
    };
    this.#server = this.#server.then(strike);
    return this.#server;
  }

  /** Suspends a worker until others own its runs; it then resumes and still believes that it owns them. */
  async #resume(child: WorkerChild, { then, thenAfterMs }: WorkerFault): Promise<void> {
    const { workerId, name } = child;
    const { suspendMs, isShared } = this.#parts.workers;
    await sleep(suspendMs);
    if (workerId !== null && !isShared) {
      const isFree = async (): Promise<boolean> => (await this.#parts.database.ownedBy(workerId)) === 0;
      await this.#eventually(`the runs of ${name} (suspended) are taken over`, isFree);
    }
    child.kill("SIGCONT");
    await sleep(thenAfterMs);
    await this.#end(child, then);
  }

  async #start(fault: WorkerFault | null): Promise<WorkerChild> {
    const { url, folder, workers } = this.#parts;
    const name = `worker-${++this.#started}`;
    const journal = join(folder, `${name}.jsonl`);
    const settings = { url, name, journal, charges: join(folder, "charges"), fault, leaseMs: workers.leaseMs };
    const child = new WorkerChild(await workers.program(), settings);
    this.#running.add(child);
    await child.until(() => child.workerId !== null || child.hasReachedFault || child.hasEnded, PATIENCE_MS);
    return child;
  }

  /** Resumes a worker that stopped itself: it may meet its fault only now. */
  async #end(child: WorkerChild, signal: NodeJS.Signals): Promise<void> {
    child.kill(signal);
    const last = performance.now() + PATIENCE_MS;
    while (!child.hasEnded && performance.now() < last) {
      child.kill("SIGCONT");
      await child.until(() => child.hasEnded, 500);
    }
    if (!child.hasEnded) this.unexpected.push(`${child.name} does not end after ${signal}`);
    child.kill("SIGKILL");
    const { code } = await child.ended;
    this.#running.delete(child);
    if (signal === "SIGTERM" && code !== 0) this.unexpected.push(`${child.name} got SIGTERM and exited with ${code}`);
  }

  async #eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    while (!(await isSo())) {
      if (performance.now() > end) return void this.unexpected.push(`not so: ${what}`);
      await sleep(50);
    }
  }

  #hit(fault: PlannedFault): void {
    this.hits.set(nameOf(fault), (this.hits.get(nameOf(fault)) ?? 0) + 1);
  }
}
