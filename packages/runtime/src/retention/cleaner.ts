/** Executes retention policies until it is stopped. Any number of processes may have one; the first live one works. */
import type { Counter } from "@opentelemetry/api";
import { newId, type FullStateStore } from "@runledger/contracts";
import { meterOf } from "../telemetry/instruments.js";
import { logFault } from "../telemetry/log-handlers.js";
import type { Metrics } from "../telemetry/metrics.js";
import { PollLoop } from "../time/poll-loop.js";
import { tryOnce } from "../time/retry.js";
import type { Timers } from "../time/timers.js";
import { FileArchive } from "./file-archive.js";
import { runPass, type RetentionResult } from "./retention-pass.js";

export interface CleanerOptions {
  /** Time between two passes. Default ten seconds. */
  readonly everyMs?: number;
  /** How long a silent process keeps the work to itself. Default 30 seconds. */
  readonly memberTtlMs?: number;
  /**
   * Folder, or `s3://bucket/prefix`, to which a run is copied before it is archived. A run is deleted only after its copy was
   * compared with the store. Default: runs are not copied.
   */
  readonly archive?: string | undefined;
  /** Receives the result of every pass that has done something. */
  readonly onResult?: (result: RetentionResult) => void;
  /** Receives faults; the next pass tries again. Logs them by default. */
  readonly onFault?: (error: unknown) => void;
}

interface CleanerParts {
  readonly metrics?: Metrics | undefined;
  readonly timers: Timers;
}

const GROUP = "retention";

export class Cleaner implements AsyncDisposable {
  readonly id = newId(`cleaner-${process.pid}`);
  readonly #store: FullStateStore;
  readonly #options: CleanerOptions;
  readonly #parts: CleanerParts;
  readonly #runs: Counter;
  readonly #loop: PollLoop;
  readonly #archive: FileArchive;
  readonly #onFault: (error: unknown) => void;
  #attended = -Infinity;
  #isFirst = false;
  #isStopping = false;
  #stopped: Promise<void> | null = null;

  constructor(store: FullStateStore, options: CleanerOptions, parts: CleanerParts) {
    this.#store = store;
    this.#options = options;
    this.#parts = parts;
    this.#archive = new FileArchive(options.archive);
    this.#onFault = options.onFault ?? logFault("retention");
    const description = "Runs archived, deleted or left, by outcome.";
    this.#runs = meterOf(parts.metrics).createCounter("runledger_retention_runs_total", { description });
    this.#loop = new PollLoop({
      timers: parts.timers,
      everyMs: options.everyMs ?? 10_000,
      round: () => this.#pass(),
      isDone: () => this.#isStopping,
      onFault: this.#onFault,
    }).start();
  }

  /** Finishes the current step. Another process continues. */
  stop(): Promise<void> {
    this.#isStopping = true;
    this.#loop.notify();
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #end(): Promise<void> {
    await this.#loop.finished();
    await tryOnce(
      () => this.#store.feed.leave({ group: GROUP, member: this.id }),
      () => {},
    );
  }

  async #pass(): Promise<void> {
    const mayContinue = (): Promise<boolean> => this.#mayContinue();
    if (!(await mayContinue())) return;
    const copy = await this.#archive.open(this.#store, this.#onFault).catch((error: unknown) => {
      this.#onFault(error);
      return { copyFirst: async () => false }; // other data is still deleted
    });
    const result = await runPass(this.#store, { mayContinue, ...copy });
    this.#count(result);
  }

  async #mayContinue(): Promise<boolean> {
    const ttlMs = this.#options.memberTtlMs ?? 30_000;
    if (this.#isStopping) return false;
    if (this.#parts.timers.now() < this.#attended + ttlMs / 3) return this.#isFirst;
    const members = await this.#store.feed.attend({ group: GROUP, member: this.id, ttlMs });
    this.#attended = this.#parts.timers.now();
    this.#isFirst = members[0] === this.id;
    return this.#isFirst;
  }

  #count(result: RetentionResult): void {
    const { archived, deleted, artifacts, left, startKeys, deadLetters, followers, auditEntries } = result;
    this.#runs.add(archived, { outcome: "archived" });
    this.#runs.add(deleted, { outcome: "deleted" });
    for (const [reason, runs] of Object.entries(left)) this.#runs.add(runs, { outcome: reason });
    const done = archived + deleted + artifacts + startKeys + deadLetters + followers + auditEntries;
    if (done > 0) this.#options.onResult?.(result);
  }
}
