import {
  RunledgerError,
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
import type {
  AppendDraft,
  OperationDraft,
  Outcome,
  RecordedHistory,
  RecordedOperation,
  RecordedSpan,
} from "./recorded-history.js";

/** Remembers what each client asked of a store and what it was told. Time is the order in which things happened. */
export class HistoryRecorder {
  readonly operations: RecordedOperation[] = [];
  readonly #counts = new Map<string, number>();
  #tick = 0;

  /** The calls of one client, on their way through `inner`. */
  recording(client: string, inner: Around): Around {
    return async (call) => {
      const appended = appendOf(call);
      const record = this.#open(client);
      if (appended !== null) record(appended({ status: "unknown" }), false);
      try {
        const answer = await inner(call);
        for (const draft of answered(call, answer, appended)) record(draft, true);
        return answer;
      } catch (error) {
        if (appended !== null) record(appended(outcomeOf(error)), true);
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

  /** Notes the first draft as the call's own, and what else an answer showed as operations of their own. */
  #open(client: string): (draft: OperationDraft, isAnswered: boolean) => void {
    const invoked = ++this.#tick;
    let place: number | null = null;
    return (draft, isAnswered) => {
      const returned = isAnswered ? ++this.#tick : null;
      const isAnswerToOwn = place !== null && draft.kind === "append";
      const span: RecordedSpan = isAnswerToOwn
        ? this.operations[place!]!
        : { client, id: this.#next(client), invoked, returned };
      const operation = { ...draft, client, id: span.id, invoked, returned };
      if (isAnswerToOwn) this.operations[place!] = operation;
      else place = this.operations.push(operation) - 1;
    };
  }

  #next(client: string): number {
    const id = this.#counts.get(client) ?? 0;
    this.#counts.set(client, id + 1);
    return id;
  }
}

async function all(store: FullStateStore, runId: string): Promise<CanonicalEngineEvent[]> {
  const events: CanonicalEngineEvent[] = [];
  for await (const event of store.streamEvents(runId)) events.push(event);
  return events;
}

type Appended = (outcome: Outcome) => AppendDraft;

/** What the call would append; null = nothing. Of parts for one run only, as an engine's are. */
function appendOf({ name, args }: StoreCall): Appended | null {
  if (name === "queue.startRun") return draftOf([(args[0] as RunStart).event], {});
  if (name === "appendEvents") return draftOf(args[0] as readonly NewEvent[], args[1] ?? {});
  if (name !== "queue.parkRun") return null;
  const { runId, epoch, checkpoint } = args[0] as { runId: string; epoch: number; checkpoint: Checkpoint | null };
  const saved = { runId, events: [], fence: epoch, checkpoint };
  return checkpoint === null ? null : (outcome) => ({ kind: "append", parts: [{ ...saved, outcome }] });
}

function draftOf(events: readonly NewEvent[], { fence = null, checkpoint = null }: Parts): Appended {
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
  if (name === "queue.startRun") return started(answer as { created: boolean }, appended!);
  if (appended !== null) return [appended({ status: "acknowledged", results: (answer ?? []) as AppendResult[] })];
  if (name === "queue.claimRuns") return claimed(args, (answer as { runs: readonly HeldRun[] }).runs);
  if (name === "checkpoints.loadCheckpoint" && answer !== null) {
    return [{ kind: "checkpoint", checkpoint: answer as Checkpoint }];
  }
  if (name !== "streamEvents" && name !== "fetchEvents") return [];
  return [read(args, name === "fetchEvents" ? 1000 : null, answer as readonly CanonicalEngineEvent[])];
}

/** A run that was there before was appended by somebody else. */
function started({ created }: { readonly created: boolean }, appended: Appended): OperationDraft[] {
  const results = [{ runSeq: 1, idempotent: false, persisted: true }];
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

/** Only an error of ours says for certain that nothing was written, and OUTCOME_UNKNOWN says that it does not know. */
function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof RunledgerError) || error.code === "OUTCOME_UNKNOWN") return { status: "unknown" };
  return { status: "refused", code: error.code };
}
