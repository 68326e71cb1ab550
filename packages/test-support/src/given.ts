/** Given these events, when this one comes, then that holds: how the fold is specified. */
import { newEvent, type CanonicalEngineEvent, type Json, type RunSnapshot } from "@runledger/contracts";
import { evolve, evolveAll, initialState, toRunSnapshot, type RunState } from "@runledger/core";

export interface Draft {
  readonly eventType: string;
  readonly stepId?: string;
  readonly attempt?: string;
  readonly data?: Json;
  readonly at?: string;
  readonly engineAttemptId?: string;
  readonly engineRunRef?: Json;
  readonly causedBySignalId?: string;
}

export const RUN_ID = "run-1";

export const run = (what: string, data: Json = {}, more: Partial<Draft> = {}): Draft => ({
  eventType: `Run${what}`,
  data,
  ...more,
});

export const step = (
  stepId: string,
  what: string,
  attempt = "1",
  data: Json = {},
  more: Partial<Draft> = {},
): Draft => ({
  eventType: `Step${what}`,
  stepId,
  attempt,
  data,
  ...more,
});

/** Drafts as a store would return them: numbered from `firstSeq`, a second apart. */
export function numbered(drafts: readonly Draft[], firstSeq = 1): CanonicalEngineEvent[] {
  return drafts.map((draft, index) => stored(draft, firstSeq + index));
}

function stored(draft: Draft, runSeq: number): CanonicalEngineEvent {
  const { eventType, stepId, attempt = "1", data = {}, engineAttemptId, engineRunRef, causedBySignalId } = draft;
  const at = draft.at ?? new Date(Date.UTC(2026, 10, 14) + runSeq * 1000).toISOString();
  const event = newEvent({
    runId: RUN_ID,
    planId: "nightly",
    planVersion: "1.2.0",
    eventType,
    logicalAttemptId: attempt,
    eventData: data,
    emittedAt: at,
    ...(stepId === undefined ? {} : { stepId }),
    ...(engineAttemptId === undefined ? {} : { engineAttemptId }),
    ...(engineRunRef === undefined ? {} : { engineRunRef }),
    ...(causedBySignalId === undefined ? {} : { causedBySignalId }),
  });
  return { ...event, runSeq, persistedAt: at };
}

export function given(...before: readonly Draft[]) {
  const events = numbered(before);
  const state = evolveAll(initialState(RUN_ID), events);
  return {
    state,
    snapshot: toRunSnapshot(state),
    when: (...drafts: readonly Draft[]) => {
      const after = evolveAll(state, numbered(drafts, events.length + 1));
      return {
        then: (check: (after: RunSnapshot, before: RunSnapshot) => void) =>
          check(toRunSnapshot(after), toRunSnapshot(state)),
      };
    },
  };
}

export function stepOf(snapshot: RunSnapshot, stepId: string): RunSnapshot["steps"][number] {
  const found = snapshot.steps.find((candidate) => candidate.stepId === stepId);
  if (found === undefined) throw new Error(`there is no step ${stepId}`);
  return found;
}

export function foldOneByOne(state: RunState, events: readonly CanonicalEngineEvent[]): RunState[] {
  const states = [state];
  for (const event of events) states.push(evolve(states.at(-1)!, event));
  return states;
}
