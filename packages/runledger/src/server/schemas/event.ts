import { z } from "zod";
import { identifier, instant, pageOf, seq } from "./values.js";

/** `CanonicalEngineEvent` of the contracts. */
export const event = z
  .object({
    runId: identifier,
    runSeq: seq,
    eventId: z.string(),
    eventType: z.string(),
    stepId: z.string().optional(),
    engineAttemptId: z.string().optional(),
    logicalAttemptId: z.string().optional(),
    eventData: z.unknown(),
    idempotencyKey: z.string(),
    emittedAt: instant,
    persistedAt: instant.optional(),
    adapterVersion: z.string().optional(),
    engineRunRef: z.unknown().optional(),
    causedBySignalId: z.string().optional(),
    parentEventId: z.string().optional(),
    planId: z.string().optional(),
    planVersion: z.string().optional(),
  })
  .meta({ id: "RunEvent", description: "One line of a run's log" });

export const eventPage = pageOf("EventPage", event);

export const caughtUp = z
  .object({ runId: identifier, headSeq: seq, ended: z.boolean().meta({ description: "True = the run has ended" }) })
  .meta({ id: "CaughtUp", description: "Everything that is stored has been sent" });

export const ended = z.object({ runId: identifier, runSeq: seq }).meta({ id: "RunEnded" });
