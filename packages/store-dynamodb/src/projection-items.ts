/**
 * Projections as items. The header's item is the projection's one point of change: steps count only if they carry its
 * `projectionId`. A change of many steps commits as a journal beside the header; its steps become items of their own
 * afterwards. Readers put the journal over the items.
 */
import { randomUUID } from "node:crypto";
import type { RunHeader, StepRow } from "@runledger/contracts";
import type { WriteAction } from "./actions.js";
import { any, absent, all, compare, type Condition } from "./conditions.js";
import { json, number, numberOrNull, text, textOrNull, type Item } from "./encoding.js";
import { putParts } from "./parts.js";
import { journalKey, ordinalKey, projectionKey, stepKey } from "./table.js";

/** The header's item without the header. */
export interface ProjectionMeta {
  readonly projectionId: string;
  readonly runId: string;
  readonly seq: number;
  readonly generation: number;
  readonly isStale: boolean;
  /** The seq of a journal that is not applied yet. `null` if there is none. */
  readonly journal: number | null;
  /** `null` if the run has no head, and therefore no place in the index. */
  readonly tenantId: string | null;
}

export interface StoredHeader {
  readonly meta: ProjectionMeta;
  readonly header: RunHeader;
}

export const newProjectionId = (): string => randomUUID().slice(0, 13);

export function toMeta(item: Item): ProjectionMeta {
  return {
    projectionId: text(item, "pid"),
    runId: text(item, "runId"),
    seq: number(item, "seq"),
    generation: number(item, "generation"),
    isStale: item["stale"] === true,
    journal: numberOrNull(item, "journal"),
    tenantId: textOrNull(item, "tenantId"),
  };
}

export function toStoredHeader(item: Item): StoredHeader {
  return { meta: toMeta(item), header: json(item, "d") as RunHeader };
}

export function putHeader(meta: ProjectionMeta, header: RunHeader, when: Condition): WriteAction[] {
  const { projectionId: pid, runId, seq, generation, isStale, journal, tenantId } = meta;
  const stale = isStale ? true : null;
  const item = { ...projectionKey(runId), pid, runId, seq, generation, stale, journal, tenantId };
  const [first, ...rest] = putParts(item, JSON.stringify(header));
  return [{ ...first!, when }, ...rest];
}

/** A step, and its place in the order of steps. */
export function putStep({ projectionId: pid, runId, seq }: ProjectionMeta, step: StepRow): WriteAction[] {
  const when = any(absent, compare("pid", "<>", pid), compare("seq", "<=", seq));
  const row = putParts({ ...stepKey(runId, step.stepId), pid, seq, ordinal: step.ordinal }, JSON.stringify(step));
  const place = { ...ordinalKey(runId, step.ordinal), pid, stepId: step.stepId };
  return [...row.map((action) => ({ ...action, when })), { kind: "put", item: place }];
}

export function putJournal(
  { runId, seq, projectionId: pid }: ProjectionMeta,
  steps: readonly StepRow[],
): WriteAction[] {
  return putParts({ ...journalKey(runId, seq), pid }, JSON.stringify(steps));
}

export const toSteps = (journal: Item): StepRow[] => json(journal, "d") as StepRow[];

/** The projection is still the one that was read. */
export function unchanged({ projectionId, seq, generation, journal }: ProjectionMeta): Condition {
  const same = [compare("pid", "=", projectionId), compare("seq", "=", seq), compare("generation", "=", generation)];
  return all(...same, journal === null ? { op: "absent", name: "journal" } : compare("journal", "=", journal));
}
