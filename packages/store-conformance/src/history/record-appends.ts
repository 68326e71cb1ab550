import {
  RunledgerError,
  type AppendOptions,
  type AppendResult,
  type EventLog,
  type NewEvent,
} from "@runledger/contracts";
import { digestOf } from "./digest.js";
import type { AppendedEvent, PartOutcome } from "./history.js";
import type { OperationDraft, Recording } from "./recording.js";

export async function recordAppend(
  log: EventLog,
  recording: Recording,
  events: readonly NewEvent[],
  options: AppendOptions = {},
): Promise<readonly AppendResult[]> {
  const runs = byRun(events);
  const answered = recording.call(draft(runs, options, () => ({ status: "unknown" })));
  try {
    const results = await log.appendEvents(events, options);
    answered(draft(runs, options, ({ places }) => acknowledged(places.map((place) => results[place]!))));
    return results;
  } catch (error) {
    answered(draft(runs, options, ({ places }) => outcomeOf(error, places)));
    throw error;
  }
}

interface RunOfCall {
  readonly runId: string;
  readonly events: AppendedEvent[];
  /** The position of each event in the call. */
  readonly places: number[];
}

function byRun(events: readonly NewEvent[]): readonly RunOfCall[] {
  const runs = new Map<string, RunOfCall>();
  events.forEach(({ runId, idempotencyKey, eventId, eventData }, place) => {
    const run = runs.get(runId) ?? { runId, events: [], places: [] };
    run.events.push({ key: idempotencyKey, eventId, digest: digestOf(eventData) });
    run.places.push(place);
    runs.set(runId, run);
  });
  return [...runs.values()];
}

function draft(
  runs: readonly RunOfCall[],
  { fence, checkpoint }: AppendOptions,
  outcome: (run: RunOfCall) => PartOutcome,
): OperationDraft {
  const parts = runs.map((run) => {
    const { runId, events } = run;
    return { runId, events, fence: fence ?? null, checkpoint: checkpoint ?? null, outcome: outcome(run) };
  });
  return { kind: "append", parts };
}

function acknowledged(results: readonly AppendResult[]): PartOutcome {
  return { status: "acknowledged", results };
}

/** Only a RunledgerError proves that nothing was written, except OUTCOME_UNKNOWN. */
function outcomeOf(error: unknown, places: readonly number[]): PartOutcome {
  if (!(error instanceof RunledgerError) || error.code === "OUTCOME_UNKNOWN") return { status: "unknown" };
  if (error.code !== "APPEND_PARTIAL") return { status: "refused", code: error.code };
  const { results } = error as unknown as { readonly results: readonly (AppendResult | RunledgerError)[] };
  const own = places.map((place) => results[place]!);
  const refusal = own.find((result) => result instanceof RunledgerError);
  return refusal === undefined ? acknowledged(own as AppendResult[]) : outcomeOf(refusal, places);
}
