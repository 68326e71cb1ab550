import { z } from "zod";
import { identifier } from "./values.js";

export const forkRequest = z
  .strictObject({
    from: identifier.meta({ description: "The step that runs first, with all that depends on it" }),
    version: identifier
      .optional()
      .meta({ description: "Another version of the same workflow. Default: the run's own" }),
    input: z.unknown().optional().meta({ description: "Default: the run's own" }),
    requestId: identifier.optional().meta({ description: "Makes the fork idempotent" }),
    dryRun: z.boolean().optional().meta({ description: "True = says what would be kept and run, and does nothing" }),
  })
  .meta({ id: "ForkRequest" });

const stepRange = z
  .union([z.string(), z.object({ container: z.string(), from: z.int(), to: z.int(), step: z.string() })])
  .meta({ id: "StepRange", description: "A step, or the items `from` to `to` of one step inside a container" });

export const forkOutcome = z
  .object({
    dryRun: z.boolean(),
    runId: z.string().optional().meta({ description: "The new run; absent = nothing was started" }),
    created: z.boolean().optional(),
    origin: z.object({ runId: z.string(), seq: z.int(), from: z.string() }),
    workflow: z.string(),
    version: z.string(),
    kept: z.array(stepRange),
    goesOn: z.array(stepRange).meta({ description: "Containers that go on with what their closures once returned" }),
    runs: z.array(stepRange).meta({ description: "What runs, as far as it is known" }),
  })
  .meta({ id: "ForkOutcome" });
