/** Another system that draws numbers of runs in PostgreSQL and stores their events later, or never (P10). */
import type { NewEvent } from "@runledger/contracts";
import { Client } from "pg";

const TYPES = (
  "text bigint bigint smallint text bigint integer text text integer uuid text text text text jsonb text text uuid " +
  "timestamptz text jsonb text text bigint text timestamptz bigint"
).split(" ");

const DRAW = "SELECT numbers[1]::int AS number FROM runledger.draw_numbers(ARRAY[$1], ARRAY[0], ARRAY[1])";
const STORE = `SELECT run_seq::int AS number, refusal FROM runledger.append_drawn(
  ${TYPES.map((type, index) => `ARRAY[$${index + 1}]::${type}[]`).join(", ")})`;

/** Draws the next number of a run. */
export const drawNumber = (url: string, runId: string): Promise<number> => numberOf(url, DRAW, [runId]);

/** Stores an event under a number that was drawn before. */
export async function storeDrawn(url: string, event: NewEvent, number: number): Promise<void> {
  const { runId, eventId, stepId, logicalAttemptId, eventType, eventData, idempotencyKey } = event;
  const part = [runId, null, null, 0, "default", null, null, null, null, 1];
  const parts = [eventId, stepId, null, logicalAttemptId, eventType, JSON.stringify(eventData ?? null), idempotencyKey];
  const rest = [null, null, event.emittedAt, null, null, null, event.planVersion, null, null, null, number];
  const stored = await numberOf(url, STORE, [...part, ...parts, ...rest]);
  if (stored !== number) throw new Error(`The event was stored at ${stored}, not at ${number}.`);
}

async function numberOf(url: string, text: string, values: readonly unknown[]): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ readonly number: number }>(text, [...values]);
    return rows[0]!.number;
  } finally {
    await client.end();
  }
}
