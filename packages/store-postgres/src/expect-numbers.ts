/** Looks at the heads and keys of an append before numbers are drawn for it. The append itself decides, under the lock. */
import type { RunAppend } from "@runledger/core/store";
import { conditionArrays } from "./append-columns.js";
import type { NumbersToDraw } from "./append-drawn.js";
import { numberArray, plainTextArray } from "./arrays.js";
import type { Database, Statement } from "./client.js";

/** One row per event. The conditions are those of `append_drawn`, without verdicts on signals. */
const look: Statement = {
  name: "append_look",
  text: `
SELECT coalesce(h.head_seq, 0), NOT (
  coalesce(h.run_id IS NULL AND p.flags & 1 <> 0
    OR h.archived_at IS NOT NULL OR (p.flags & 4 = 0 AND h.tenant_id <> p.tenant_id)
    OR (h.lease_epoch <> p.fence AND NOT (p.fence = 0 AND p.flags & 2 <> 0))
    OR p.expected <> h.head_seq, false)
  OR EXISTS (SELECT FROM runledger.run_events l WHERE l.run_id = p.run_id AND l.idempotency_key = k.key)
)
FROM unnest($6::integer[], $7::text[]) WITH ORDINALITY AS k (part, key, ord)
CROSS JOIN LATERAL (
  SELECT ($1::text[])[k.part] AS run_id, ($2::bigint[])[k.part] AS expected, coalesce(($3::bigint[])[k.part], 0) AS fence,
    ($4::smallint[])[k.part] AS flags, ($5::text[])[k.part] AS tenant_id
) p
LEFT JOIN runledger.run_heads h ON h.run_id = p.run_id
ORDER BY k.ord`,
};

export interface ExpectedNumbers {
  readonly runs: readonly NumbersToDraw[];
  /** The index in `runs` for each event of the batch, `null` for an event that needs no number. */
  readonly runOfEvent: readonly (number | null)[];
}

export async function expectNumbers(db: Database, parts: readonly RunAppend[]): Promise<ExpectedNumbers> {
  const rows = (await db.read(look, valuesOf(parts))) as unknown as readonly [headSeq: number, isNeeded: boolean][];
  const runs = new Map<string, NumbersToDraw & { readonly index: number }>();
  const seen = new Set<string>();
  const events = parts.flatMap((part) => part.events.map(({ event }) => event));
  const runOfEvent = events.map(({ runId, idempotencyKey }, place) => {
    const [headSeq, isNeeded] = rows[place]!;
    const id = `${runId}|${idempotencyKey}`; // no identifier has a | (K3)
    if (!isNeeded || seen.has(id)) return null;
    seen.add(id);
    const { index, count } = runs.get(runId) ?? { index: runs.size, count: 0 };
    runs.set(runId, { index, runId, headSeq, count: count + 1 });
    return index;
  });
  return { runs: [...runs.values()], runOfEvent };
}

function valuesOf(parts: readonly RunAppend[]): (string | null)[] {
  return [
    plainTextArray(parts.map(({ runId }) => runId)),
    ...conditionArrays(parts, ({ expectedSeq }) => expectedSeq),
    numberArray(parts.flatMap(({ events }, index) => events.map(() => index + 1))),
    plainTextArray(parts.flatMap(({ events }) => events.map(({ event }) => event.idempotencyKey))),
  ];
}
