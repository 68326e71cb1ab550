import { z } from "zod";
import { afterParam, identifier, instant, integerParam } from "../http/schemas.js";

export const logLine = z
  .object({
    at: instant,
    from: z
      .enum(["stdout", "stderr", "log"])
      .meta({ description: "`log` if the step wrote the line with its logger." }),
    text: z.string(),
    fields: z.record(z.string(), z.unknown()).optional().meta({ description: "Structured data of the line." }),
    stepId: z.string().optional(),
    attempt: z.int().optional(),
  })
  .meta({ id: "LogLine", description: "A line that a step logged or printed." });

const cursorText = z
  .string()
  .max(12_000)
  .regex(/^[\w-]+$/, "must be the `next` of the previous page.");
/** Query parameters that select log lines. */
export const logFilter = {
  stepId: identifier.optional().meta({ description: "Only lines of this step." }),
  attempt: integerParam(1, 1_000_000).optional().meta({ description: "Only lines of this attempt." }),
  after: cursorText.optional().meta(afterParam),
};
