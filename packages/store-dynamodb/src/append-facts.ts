/** The knowledge of an append about its run: its head, and which of its keys are stored. */
import type { AppendResult, CheckedEvent } from "@runledger/contracts";
import type { RunAppend } from "@runledger/core/store";
import type { Db } from "./db.js";
import { number, text, textOrNull, type Item } from "./encoding.js";
import { dataHash } from "./event-items.js";
import { readRange } from "./fetch-events.js";
import { toHeadItem, type HeadItem } from "./heads.js";
import { getTogether } from "./items.js";
import { headKey, idempotencyItemKey } from "./table.js";

interface StoredKey {
  readonly seq: number;
  readonly data: string;
}

/** A key that an import wrote. It counts only if the import was completed. */
interface ImportedKey extends StoredKey {
  readonly token: string;
}

export interface Facts {
  /** `null` if the run does not exist. */
  head: HeadItem | null;
  /** Stored keys of the call. */
  readonly keys: Map<string, StoredKey>;
  /** Keys of imports that are not known to be complete. */
  readonly doubtful: Map<string, ImportedKey>;
  /** The tokens of unfinished imports, by the key that they left behind. */
  readonly leftovers: Map<string, string>;
  /** `true` if all of it was read in one transaction of this attempt, so that a refusal may be based on it. */
  areRead: boolean;
}

/** Reads the head and all keys of the call in one transaction. */
export async function readFacts({ client }: Db, { runId, events }: RunAppend): Promise<Facts> {
  const names = [...new Set(events.map(({ event }) => event.idempotencyKey))];
  const keys = names.map((name) => idempotencyItemKey(runId, name));
  const [headItem, ...items] = await getTogether(client, [headKey(runId), ...keys]);
  const facts: Facts = { ...factsOf(headItem ? toHeadItem(headItem) : null), areRead: true };
  items.forEach((item, index) => item !== null && learnKey(facts, names[index]!, item));
  return facts;
}

/** Nothing is known but the head. */
export function factsOf(head: HeadItem | null): Facts {
  return { head, keys: new Map(), doubtful: new Map(), leftovers: new Map(), areRead: false };
}

export function learnKey({ keys, doubtful }: Facts, name: string, item: Item): void {
  const stored = { seq: number(item, "seq"), data: text(item, "data") };
  const token = textOrNull(item, "staged");
  if (token === null) keys.set(name, stored);
  else doubtful.set(name, { ...stored, token });
}

/** The key of an import counts if the event with its number has this key. */
export async function settleDoubts({ client }: Db, runId: string, facts: Facts): Promise<void> {
  const headSeq = facts.head?.headSeq ?? 0;
  for (const [name, { seq, data, token }] of facts.doubtful) {
    const [event] = seq > headSeq ? [] : await readRange(client, { runId, afterSeq: seq - 1, toSeq: seq });
    if (event?.idempotencyKey === name) facts.keys.set(name, { seq, data });
    else facts.leftovers.set(name, token);
  }
  facts.doubtful.clear();
}

/** The events of the call that are not stored yet, each key once. */
export function newEvents(facts: Facts, events: readonly CheckedEvent[]): CheckedEvent[] {
  const seen = new Set<string>();
  return events.filter(({ event: { idempotencyKey } }) => {
    const isNew = !facts.keys.has(idempotencyKey) && !seen.has(idempotencyKey);
    seen.add(idempotencyKey);
    return isNew;
  });
}

/** One result per event. `written` maps the keys of this transaction to their numbers (K5). */
export function resultsOf(
  facts: Facts,
  events: readonly CheckedEvent[],
  written: ReadonlyMap<string, StoredKey>,
): readonly AppendResult[] {
  const answered = new Set<string>();
  return events.map(({ event: { idempotencyKey }, dataJson }) => {
    const own = written.get(idempotencyKey);
    if (own !== undefined && !answered.has(idempotencyKey)) {
      answered.add(idempotencyKey);
      return { runSeq: own.seq, idempotent: false, persisted: true };
    }
    const known = own ?? facts.keys.get(idempotencyKey)!;
    const conflict = known.data !== dataHash(dataJson);
    return { runSeq: known.seq, idempotent: true, persisted: false, ...(conflict ? { conflict } : {}) };
  });
}
