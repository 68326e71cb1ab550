import { z } from "zod";
import { booleanParam, identifier, instant, seqNumber } from "../http/schemas.js";

/** Schema of `CanonicalEngineEvent`. */
export const event = z
  .object({
    runId: identifier,
    runSeq: seqNumber.meta({
      description: "Position in the run: 1 to n. An append authority that is not the default may leave gaps.",
    }),
    eventId: z.string(),
    eventType: z.string(),
    stepId: z.string().optional().meta({ description: "Absent if the event concerns the run as a whole." }),
    engineAttemptId: z
      .string()
      .optional()
      .meta({ description: "Counts how often the platform ran this attempt: 1, and one more per takeover." }),
    logicalAttemptId: z
      .string()
      .optional()
      .meta({ description: "Counts attempts that a policy or an operator requests." }),
    eventData: z.unknown(),
    idempotencyKey: z.string(),
    emittedAt: instant.meta({ description: "Time of the event by the emitter's clock." }),
    persistedAt: instant.optional().meta({ description: "Time of the append by the store's clock." }),
    adapterVersion: z
      .string()
      .optional()
      .meta({ description: "Engine and version that wrote the event, such as embedded-v1.2.3." }),
    engineRunRef: z.unknown().optional().meta({ description: "Id of the run on the executing platform." }),
    causedBySignalId: z.string().optional().meta({ description: "Signal that caused the event." }),
    parentEventId: z.string().optional().meta({ description: "Event of the same run that this event follows from." }),
    planId: z.string().optional(),
    planVersion: z.string().optional(),
  })
  .meta({ id: "RunEvent", description: "An event of a run's log." });

/** Query parameter that omits user data. The remaining fields are sufficient for the fold. */
export const payloads = booleanParam.optional().meta({
  description: "`false` to omit inputs, outputs, signal payloads, patches and state. Defaults to `true`.",
});
