/** A log whose payloads are encrypted before they reach the store. */
import { isDeepStrictEqual } from "node:util";
import {
  checkIdentifier,
  type AppendOptions,
  type AppendResult,
  type CanonicalEngineEvent,
  type CheckedEvent,
  type EventLog,
  type IRunStateStore,
  type NewEvent,
} from "@runledger/contracts";
import { prepareCall, projectLog } from "@runledger/core/store";
import type { RunTenants } from "./run-tenants.js";
import { sealEvent } from "./sealed-event.js";
import { viewSnapshot } from "./sealed-projection.js";
import { sealCheckpoint } from "./sealed-value.js";
import type { Sealer } from "./sealer.js";
import type { View } from "./view.js";

type Log = IRunStateStore & EventLog;

export interface LogParts {
  readonly sealer: Sealer;
  readonly view: View;
  readonly tenants: RunTenants;
}

export class EncryptedLog implements Log {
  readonly #log: Log;
  readonly #parts: LogParts;
  /** Set if the log belongs to one tenant. */
  readonly #tenantId: string | undefined;
  /** Calls that wait for the tenants of their runs. Later calls wait behind them, so that their order stays (P1). */
  #turn: Promise<unknown> | null = null;
  /** Conflicts that only the encryption caused. */
  #apparent = 0;

  constructor(log: Log, parts: LogParts, tenantId?: string) {
    this.#log = log;
    this.#parts = parts;
    this.#tenantId = tenantId;
  }

  get conflicts(): number {
    return (this.#log.conflicts ?? 0) - this.#apparent;
  }

  async appendEvent(event: NewEvent): Promise<AppendResult> {
    const [result] = await this.appendEvents([event]);
    return result!;
  }

  async appendEvents(events: readonly NewEvent[], options: AppendOptions = {}): Promise<readonly AppendResult[]> {
    const { runs, places } = prepareCall(events, options); // checks the originals
    const checked = places.map(({ run, event }) => runs[run]!.events[event]!);
    const runIds = runs.map(({ runId }) => runId);
    const tenantOf = this.#known(runIds);
    if (tenantOf !== null && this.#turn === null) return this.#append(checked, options, tenantOf);
    const ready = Promise.all([this.#parts.tenants.of(runIds), this.#turn]);
    const sent = ready.then(([found]) => ({ result: this.#append(checked, options, tenantOf ?? found) }));
    const turn = sent.catch(() => {});
    this.#turn = turn;
    void turn.then(() => {
      if (this.#turn === turn) this.#turn = null;
    });
    return (await sent).result;
  }

  async fetchEvents(
    runId: string,
    options?: { readonly afterSeq?: number; readonly limit?: number },
  ): Promise<CanonicalEngineEvent[]> {
    return (await this.#log.fetchEvents(runId, options)).map(this.#parts.view.event);
  }

  async *streamEvents(
    runId: string,
    options?: { readonly afterSeq?: number; readonly toSeq?: number },
  ): AsyncGenerator<CanonicalEngineEvent> {
    for await (const event of this.#log.streamEvents(runId, options)) yield this.#parts.view.event(event);
  }

  async fetchByKeys(runId: string, keys: readonly string[]): Promise<CanonicalEngineEvent[]> {
    return (await this.#log.fetchByKeys(runId, keys)).map(this.#parts.view.event);
  }

  fetchHeads: EventLog["fetchHeads"] = (runIds) => this.#log.fetchHeads(runIds);

  listHeads: EventLog["listHeads"] = (options) => this.#log.listHeads(options);

  getSnapshot: IRunStateStore["getSnapshot"] = async (runId) => {
    const snapshot = await this.#log.getSnapshot(runId);
    return snapshot === null ? null : viewSnapshot(this.#parts.view, snapshot);
  };

  projectSnapshot: IRunStateStore["projectSnapshot"] = async (runId) => {
    checkIdentifier("runId", runId);
    return projectLog(this, runId);
  };

  /** Resolves after all calls so far were passed to the store. */
  async passed(): Promise<void> {
    await this.#turn;
  }

  /** `null` if a tenant must be read first. */
  #known(runIds: readonly string[]): ((runId: string) => string) | null {
    const tenantId = this.#tenantId;
    return tenantId === undefined ? this.#parts.tenants.known(runIds) : () => tenantId;
  }

  async #append(
    checked: readonly CheckedEvent[],
    options: AppendOptions,
    tenantOf: (runId: string) => string,
  ): Promise<readonly AppendResult[]> {
    const { sealer } = this.#parts;
    const sealed = checked.map(({ event, dataJson }) =>
      sealEvent(sealer, event, { tenantId: tenantOf(event.runId), dataJson }),
    );
    const { checkpoint } = options;
    const saved = checkpoint && sealCheckpoint(sealer, checkpoint, tenantOf(checkpoint.runId));
    const results = await this.#log.appendEvents(sealed, { ...options, ...(saved && { checkpoint: saved }) });
    return Promise.all(results.map((result, index) => this.#recheck(result, checked[index]!)));
  }

  /** K5: the same payload has another ciphertext if the key was rotated since it was stored. */
  async #recheck(result: AppendResult, { event, dataJson }: CheckedEvent): Promise<AppendResult> {
    if (result.conflict !== true) return result;
    const [stored] = await this.fetchByKeys(event.runId, [event.idempotencyKey]);
    if (!isDeepStrictEqual(stored?.eventData, JSON.parse(dataJson))) return result;
    this.#apparent++;
    const { conflict: _, ...same } = result;
    return same;
  }
}
