import { z } from "zod";

/** RFC 9457, with our code. */
export const problem = z
  .object({
    type: z.string().meta({ description: "Where the code is explained" }),
    title: z.string(),
    status: z.int(),
    detail: z.string().meta({ description: "What happened and what to do" }),
    code: z.string().meta({ description: "Stable: what a program looks at", examples: ["RUN_NOT_FOUND"] }),
    family: z.enum(["retry", "fix-input", "stop"]).meta({ description: "What the caller should do" }),
    requestId: z.string(),
    field: z.string().optional().meta({ description: "The part of the request to change" }),
    problems: z
      .array(z.object({ code: z.string(), step: z.string(), message: z.string(), origin: z.string().optional() }))
      .optional()
      .meta({ description: "Everything that is wrong with a workflow" }),
    retryAfterSeconds: z.number().optional().meta({ description: "When it may work, as Retry-After says it" }),
    headSeq: z.int().optional().meta({ description: "Where the run stands, if that was not expected" }),
  })
  .meta({ id: "Problem", description: "Why a request was not done (RFC 9457)" });
export type Problem = z.infer<typeof problem>;
