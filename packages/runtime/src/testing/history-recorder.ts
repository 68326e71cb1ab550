import {
  RunledgerError,
  type AppendOptions,
  type AppendResult,
  type CanonicalEngineEvent,
  type Checkpoint,
  type FullStateStore,
  type HeldRun,
  type NewEvent,
  type RunStart,
} from "@runledger/contracts";
import { digestOf } from "./digest.js";
import type { Around, StoreCall } from "./intercept-store.js";
import type { AppendDraft, OperationDraft, Outcome, RecordedHistory, RecordedOperation } from "./recorded-history.js";

export interface RecorderOptions {
  /** Clock for operations; clients in several processes need a shared one. Default: a counter. */
  readonly clock?: () => number;
  /** Receives every operation when it is called and again with its result, for clients that may be killed. */
  readonly onOperation?: (operation: RecordedOperation) => void;
}

/** Records the calls of each client to a store and their results. */
export class HistoryRecorder {
  readonly operations: RecordedOperation[] = [];
  readonly #clock: () => number;
  readonly #onOperation: (operation: RecordedOperation) => void;
  readonly #counts = new Map<string, number>();

  constructor({ clock = counter(), onOperation = () => {} }: RecorderOptions = {}) {
    this.#clock = clock;
    this.#onOperation = onOperation;
  }

  /** Records the calls of one client and passes them to `inner`. */
  recording(client: string, inner: Around): Around {
    return async (call) => {
      const invoked = this.#clock();
      const appended = appendOf(call);
      const place = appended === null ? null : this.#note(client, invoked, null, appended({ status: "unknown" }));
      try {
        const answer = await inner(call);
        const drafts = answered(call, answer, appended);
        for (const draft of drafts) this.#note(client, invoked, this.#clock(), draft, place);
        return answer;
      } catch (error) {
        if (appended !== null) this.#note(client, invoked, this.#clock(), appended(outcomeOf(error)), place);
        throw error;
      }
    };
  }

  async history(store: FullStateStore): Promise<RecordedHistory> {
    const heads = await store.listHeads({ limit: 100_000, archived: true });
    const logs = await Promise.all(heads.map(async ({ runId }) => ({ runId, events: await all(store, runId) })));
    const checkpoints = await Promise.all(heads.map(({ runId }) => store.checkpoints.loadCheckpoint(runId)));
    return { operations: this.operations, logs, checkpoints: checkpoints.filter((each) => each !== null) };
  }

  /** @param place Index of the operation noted at the call; `null` to note it now, with its result. */
  #note(
    client: string,
    invoked: number,
    returned: number | null,
    draft: OperationDraft,
    place: number | null = null,
  ): number {
    const id = place === null ? this.#next(client) : this.operations[place]!.id;
    const operation = { ...draft, client, id, invoked, returned };
    const at = place ?? this.operations.length;
    this.operations[at] = operation;
    this.#onOperation(operation);
    return at;
  }

  #next(client: string): number {
    const id = this.#counts.get(client) ?? 0;
    this.#counts.set(client, id + 1);
    return id;
  }
}

function counter(): () => number {
  let count = 0;
  return () => ++count;
}

async function all(store: FullStateStore, runId: string): Promise<CanonicalEngineEvent[]> {
  const events: CanonicalEngineEvent[] = [];
  for await (const event of store.streamEvents(runId)) events.push(event);
  return events;
}

type Appended = (outcome: Outcome) => AppendDraft;

/** The events that the call would append, or `null` if it appends none. Expects calls for one run, as the engine makes them. */
function appendOf({ name, args }: StoreCall): Appended | null {
  if (name === "queue.startRun") return draftOf(firstEvents(args));
  if (name === "appendEvents") return draftOf(args[0] as readonly NewEvent[], args[1] as AppendOptions | undefined);
  if (name !== "queue.parkRun") return null;
  const { runId, epoch, checkpoint } = args[0] as { runId: string; epoch: number; checkpoint: Checkpoint | null };
  const saved = { runId, events: [], fence: epoch, checkpoint };
  return checkpoint === null ? null : (outcome) => ({ kind: "append", parts: [{ ...saved, outcome }] });
}

/** A fork starts with the events that it keeps. */
function firstEvents(args: readonly unknown[]): readonly NewEvent[] {
  const { event, kept = [] } = args[0] as RunStart;
  return [event, ...kept];
}

function draftOf(events: readonly NewEvent[], { fence = null, checkpoint = null }: Parts = {}): Appended {
  const { runId } = events[0]!;
  const mentioned = events.map(({ idempotencyKey, eventId, eventData }) => {
    return { key: idempotencyKey, eventId, digest: digestOf(eventData) };
  });
  return (outcome) => ({ kind: "append", parts: [{ runId, events: mentioned, fence, checkpoint, outcome }] });
}

interface Parts {
  readonly fence?: number | null;
  readonly checkpoint?: Checkpoint | null;
}

function answered({ name, args }: StoreCall, answer: unknown, appended: Appended | null): OperationDraft[] {
  if (name === "queue.startRun") {
    return started(answer as { created: boolean }, appended!, firstEvents(args).length);
  }
  if (appended !== null) return [appended({ status: "acknowledged", results: (answer ?? []) as AppendResult[] })];
  if (name === "queue.claimRuns") return claimed(args, (answer as { runs: readonly HeldRun[] }).runs);
  if (name === "checkpoints.loadCheckpoint" && answer !== null) {
    return [{ kind: "checkpoint", checkpoint: answer as Checkpoint }];
  }
  if (name !== "streamEvents" && name !== "fetchEvents") return [];
  return [read(args, name === "fetchEvents" ? 1000 : null, answer as readonly CanonicalEngineEvent[])];
}

/** If the run existed before, another client appended its events. */
function started({ created }: { readonly created: boolean }, appended: Appended, count: number): OperationDraft[] {
  const results = Array.from({ length: count }, (_, index) => ({
    runSeq: index + 1,
    idempotent: false,
    persisted: true,
  }));
  return [appended(created ? { status: "acknowledged", results } : { status: "refused", code: "STARTED_BEFORE" })];
}

function claimed(args: readonly unknown[], runs: readonly HeldRun[]): OperationDraft[] {
  const { workerId } = args[0] as { workerId: string };
  return runs.map(({ runId, epoch, headSeq }) => ({ kind: "lease", runId, workerId, epoch, headSeq }));
}

function read(args: readonly unknown[], page: number | null, events: readonly CanonicalEngineEvent[]): OperationDraft {
  const [runId, options = {}] = args as [string, { afterSeq?: number; limit?: number; toSeq?: number }?];
  const { afterSeq = 0, limit = page, toSeq = null } = options;
  const seen = events.map(({ runSeq, idempotencyKey }) => ({ seq: runSeq, key: idempotencyKey }));
  return { kind: "read", runId, afterSeq, limit, toSeq, scoped: false, events: seen };
}

/** Only a Runledger error other than OUTCOME_UNKNOWN guarantees that nothing was written. */
function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof RunledgerError) || error.code === "OUTCOME_UNKNOWN") return { status: "unknown" };
  return { status: "refused", code: error.code };
}
