/** What an append knows about its run: its head, and which of its keys are stored. */
import type { AppendResult, CheckedEvent } from "@runledger/contracts";
import type { RunAppend } from "@runledger/core/store";
import type { Db } from "./db.js";
import { number, text, type Item } from "./encoding.js";
import { dataHash } from "./event-items.js";
import { toHeadItem, type HeadItem } from "./heads.js";
import { getTogether } from "./items.js";
import { headKey, idempotencyItemKey } from "./table.js";

interface StoredKey {
  readonly seq: number;
  readonly data: string;
}

export interface Facts {
  /** `null` if the run does not exist. */
  head: HeadItem | null;
  /** Stored keys of the call. */
  readonly keys: Map<string, StoredKey>;
  /** `true` if all of it was read at one moment of this attempt, so that a refusal may be based on it. */
  areRead: boolean;
}

/** Reads the head and all keys of the call as of one moment. */
export async function readFacts({ client }: Db, { runId, events }: RunAppend): Promise<Facts> {
  const names = [...new Set(events.map(({ event }) => event.idempotencyKey))];
  const keys = names.map((name) => idempotencyItemKey(runId, name));
  const [headItem, ...items] = await getTogether(client, [headKey(runId), ...keys]);
  const facts: Facts = { head: headItem == null ? null : toHeadItem(headItem), keys: new Map(), areRead: true };
  items.forEach((item, index) => item !== null && learnKey(facts, names[index]!, item));
  return facts;
}

/** A key above the head belongs to an unfinished import. */
export function learnKey({ head, keys }: Facts, name: string, item: Item): void {
  const seq = number(item, "seq");
  if (head !== null && seq <= head.headSeq) keys.set(name, { seq, data: text(item, "data") });
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
