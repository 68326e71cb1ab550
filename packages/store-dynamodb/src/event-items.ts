/** Events and their keys as items. An item above the head does not exist for readers: it belongs to an unfinished import. */
import { createHash } from "node:crypto";
import type { CanonicalEngineEvent, CheckedEvent } from "@runledger/contracts";
import { canonicalJson } from "@runledger/core";
import type { WriteAction } from "./actions.js";
import { absent, any, compare, type Condition } from "./conditions.js";
import { text, type Item } from "./encoding.js";
import { putParts } from "./parts.js";
import { eventKey, idempotencyItemKey, padded } from "./table.js";

export interface NumberedEvent extends CheckedEvent {
  readonly runSeq: number;
  readonly persistedAt: string;
}

/** The event's item, in parts if it is large. */
export function putEvent(event: NumberedEvent, when: Condition | null): WriteAction[] {
  const { runId } = event.event;
  const d = storedText(event);
  const item = { ...eventKey(runId, event.runSeq), hash: hashOf(d) };
  return putParts(item, d).map((action) => (when === null ? action : { ...action, when }));
}

/** The event as JSON text. Its payload is not parsed again. */
function storedText({ event, dataJson, refJson, runSeq, persistedAt }: NumberedEvent): string {
  const { eventData: _, engineRunRef: __, ...envelope } = event;
  const rest = JSON.stringify({ ...envelope, runSeq, persistedAt }).slice(0, -1);
  const ref = refJson === null ? "" : `,"engineRunRef":${refJson}`;
  return `${rest},"eventData":${dataJson}${ref}}`;
}

export function toEvent(item: Item): CanonicalEngineEvent {
  return JSON.parse(text(item, "d")) as CanonicalEngineEvent;
}

/** `E#<seq>` of the next number, so that a range starts after all parts of an event. */
export const eventRange = (afterSeq: number, toSeq: number): { readonly from: string; readonly to: string } => ({
  from: `E#${padded(afterSeq + 1)}`,
  to: `E#${padded(Math.min(toSeq, 9_999_999_999_999_998))}#~`,
});

/** Leads from a key to its event. `data` identifies the payload, to tell a repetition from a conflict (K5). */
export function putEventKey({ event, dataJson, runSeq }: NumberedEvent, when: Condition | null): WriteAction {
  const key = idempotencyItemKey(event.runId, event.idempotencyKey);
  const item = { ...key, seq: runSeq, data: dataHash(dataJson) };
  return { kind: "put", item, ...(when === null ? {} : { when }) };
}

/** No event has this key. `leftover` is the token of an unfinished import that wrote it. */
export const keyIsNew = (leftover: string | undefined): Condition =>
  leftover === undefined ? absent : any(absent, compare("staged", "=", leftover));

/** No event was appended with this number. Items of an unfinished import are replaced. */
export const numberIsFree: Condition = any(absent, { op: "present", name: "staged" });

export function dataHash(dataJson: string): string {
  return hashOf(canonicalJson(JSON.parse(dataJson)));
}

export function hashOf(value: string): string {
  return createHash("sha256").update(value).digest("base64url");
}
