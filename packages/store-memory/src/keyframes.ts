import type { Projection } from "@runledger/contracts";
import { isKeyframeDue } from "@runledger/core/store";
import { readWhole } from "./snapshots.js";
import type { Tables } from "./tables.js";

export function makeKeyframes(tables: Tables, runIds: readonly string[]): void {
  for (const runId of runIds) {
    const projection = readWhole(tables, runId);
    const frames = tables.keyframes.get(runId) ?? [];
    if (projection === null || !isKeyframeDue(projection.header, frames.at(-1)?.header.lastEventSeq ?? 0)) continue;
    const { stale: _, ...header } = projection.header;
    tables.keyframes.set(runId, [...frames, { header, steps: projection.steps }]);
  }
}

export function loadKeyframe(
  tables: Tables,
  { runId, atSeq }: { readonly runId: string; readonly atSeq: number },
): Projection | null {
  return (tables.keyframes.get(runId) ?? []).findLast(({ header }) => header.lastEventSeq <= atSeq) ?? null;
}

export function listKeyframes(tables: Tables, runId: string): number[] {
  return (tables.keyframes.get(runId) ?? []).map(({ header }) => header.lastEventSeq);
}
