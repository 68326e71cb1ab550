/** Everything a history says about one run, gathered in one pass, so that each invariant walks it once. */
import type { CanonicalEngineEvent, Checkpoint } from "@runledger/contracts";
import type {
  AppendedEvent,
  AppendedPart,
  AppendOperation,
  History,
  LeaseOperation,
  ReadOperation,
  Span,
} from "./history.js";

/** One call's part for one run. */
export interface Part extends AppendedPart {
  readonly call: AppendOperation;
}

/** An event of a call, and where in its part it stood. */
export interface Mention {
  readonly part: Part;
  readonly event: AppendedEvent;
  readonly place: number;
}

/** An event of the final log, and all who speak of it. */
export interface Row {
  readonly event: CanonicalEngineEvent;
  readonly index: number;
  /** Every call that carried its key. */
  readonly mentions: Mention[];
  /** Whose write it is; null = cannot be told, because several calls with an unknown outcome carried it. */
  writer: Mention | null;
  /** It cannot have been stored earlier: nobody who may have written it had begun. */
  notBefore: number;
  /** No later than this the event was known to be stored: an acknowledgement or a read had said so. */
  knownAt: number;
}

export interface RunFacts {
  readonly runId: string;
  readonly rows: readonly Row[];
  readonly rowOfKey: ReadonlyMap<string, Row>;
  readonly rowOfSeq: ReadonlyMap<number, Row>;
  readonly parts: Part[];
  readonly reads: ReadOperation[];
  readonly leases: LeaseOperation[];
  /** Every checkpoint that was read, at the end or before. */
  readonly checkpoints: { readonly checkpoint: Checkpoint; readonly operation: string }[];
}

export function gatherFacts(history: History): RunFacts[] {
  const runs = new Map<string, RunFacts>();
  for (const { runId, events } of history.logs) runs.set(runId, factsOf(runId, events));
  const of = (runId: string): RunFacts => {
    const known = runs.get(runId) ?? factsOf(runId, []);
    runs.set(runId, known);
    return known;
  };
  for (const operation of history.operations) {
    if (operation.kind === "append") for (const part of operation.parts) addPart(of(part.runId), operation, part);
    else if (operation.kind === "read") addRead(of(operation.runId), operation);
    else if (operation.kind === "lease") of(operation.runId).leases.push(operation);
    else of(operation.checkpoint.runId).checkpoints.push({ ...operation, operation: nameOf(operation) });
  }
  for (const checkpoint of history.checkpoints)
    of(checkpoint.runId).checkpoints.push({ checkpoint, operation: "the end" });
  return [...runs.values()];
}

export function nameOf({ client, id }: Span): string {
  return `${client}#${id}`;
}

/** Unanswered = it may take effect at any time. */
function returnTime({ returned }: Span): number {
  return returned ?? Number.POSITIVE_INFINITY;
}

function factsOf(runId: string, events: readonly CanonicalEngineEvent[]): RunFacts {
  const rows: Row[] = events.map((event, index) => {
    return { event, index, mentions: [], writer: null, notBefore: 0, knownAt: Number.POSITIVE_INFINITY };
  });
  const rowOfKey = new Map<string, Row>();
  for (const row of rows) if (!rowOfKey.has(row.event.idempotencyKey)) rowOfKey.set(row.event.idempotencyKey, row);
  const rowOfSeq = new Map(rows.map((row) => [row.event.runSeq, row]));
  return { runId, rows, rowOfKey, rowOfSeq, parts: [], reads: [], leases: [], checkpoints: [] };
}

function addPart(facts: RunFacts, call: AppendOperation, appended: AppendedPart): void {
  const part: Part = { ...appended, call };
  facts.parts.push(part);
  part.events.forEach((event, place) => {
    const row = facts.rowOfKey.get(event.key);
    row?.mentions.push({ part, event, place });
    if (row !== undefined && part.outcome.status === "acknowledged") knownBy(row, call);
  });
}

function addRead(facts: RunFacts, read: ReadOperation): void {
  facts.reads.push(read);
  for (const { seq } of read.events) {
    const row = facts.rowOfSeq.get(seq);
    if (row !== undefined) knownBy(row, read);
  }
}

function knownBy(row: Row, by: Span): void {
  row.knownAt = Math.min(row.knownAt, returnTime(by));
}
