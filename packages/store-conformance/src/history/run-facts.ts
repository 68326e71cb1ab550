/** Collects the facts of a history about one run in one pass, so that each invariant walks them once. */
import type { CanonicalEngineEvent, Checkpoint } from "@runledger/contracts";
import type {
  AppendedEvent,
  AppendedPart,
  AppendOperation,
  History,
  LeaseOperation,
  PublishedEvent,
  ReadOperation,
  Span,
} from "./history.js";

/** The part of one call that belongs to one run. */
export interface Part extends AppendedPart {
  readonly call: AppendOperation;
}

/** An event of a call, and its position in its part. */
export interface Mention {
  readonly part: Part;
  readonly event: AppendedEvent;
  readonly place: number;
}

/** An event of the final log, and all calls that carried it. */
export interface Row {
  readonly event: CanonicalEngineEvent;
  readonly index: number;
  /** Every call that carried its key. */
  readonly mentions: Mention[];
  /** The call that wrote it. `null` if unknown, because several calls with an unknown outcome carried it. */
  writer: Mention | null;
  /** The event cannot have been stored before this time: no possible writer had started. */
  notBefore: number;
  /** The event was known to be stored at this time: an acknowledgment or a read contained it. */
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
  /** In the order of their arrival. `null` if no subscriber received anything of any run. */
  readonly published: PublishedEvent[] | null;
  /** Every checkpoint that was read, at the end or before. */
  readonly checkpoints: { readonly checkpoint: Checkpoint; readonly operation: string }[];
}

export function gatherFacts(history: History): RunFacts[] {
  const isSubscribed = history.published !== undefined;
  const runs = new Map<string, RunFacts>();
  for (const { runId, events } of history.logs) runs.set(runId, factsOf(runId, events, isSubscribed));
  const of = (runId: string): RunFacts => {
    const known = runs.get(runId) ?? factsOf(runId, [], isSubscribed);
    runs.set(runId, known);
    return known;
  };
  for (const operation of history.operations) {
    if (operation.kind === "append") for (const part of operation.parts) addPart(of(part.runId), operation, part);
    else if (operation.kind === "read") addRead(of(operation.runId), operation);
    else if (operation.kind === "lease") of(operation.runId).leases.push(operation);
    else of(operation.checkpoint.runId).checkpoints.push({ ...operation, operation: nameOf(operation) });
  }
  for (const event of history.published ?? []) of(event.runId).published!.push(event);
  for (const checkpoint of history.checkpoints)
    of(checkpoint.runId).checkpoints.push({ checkpoint, operation: "the end" });
  return [...runs.values()];
}

export function nameOf({ client, id }: Span): string {
  return `${client}#${id}`;
}

/** An unanswered operation may take effect at any time. */
function returnTime({ returned }: Span): number {
  return returned ?? Number.POSITIVE_INFINITY;
}

function factsOf(runId: string, events: readonly CanonicalEngineEvent[], isSubscribed: boolean): RunFacts {
  const rows: Row[] = events.map((event, index) => {
    return { event, index, mentions: [], writer: null, notBefore: 0, knownAt: Number.POSITIVE_INFINITY };
  });
  const rowOfKey = new Map<string, Row>();
  for (const row of rows) if (!rowOfKey.has(row.event.idempotencyKey)) rowOfKey.set(row.event.idempotencyKey, row);
  const rowOfSeq = new Map(rows.map((row) => [row.event.runSeq, row]));
  const published = isSubscribed ? [] : null;
  return { runId, rows, rowOfKey, rowOfSeq, parts: [], reads: [], leases: [], published, checkpoints: [] };
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
