import { z } from "zod";
import { instant, pageOf } from "./values.js";

const logLine = z
  .object({
    at: instant,
    from: z.enum(["stdout", "stderr", "log"]),
    text: z.string(),
    fields: z.record(z.string(), z.unknown()).optional(),
    stepId: z.string().optional(),
    attempt: z.int().optional(),
  })
  .meta({ id: "LogLine" });

export const logPage = pageOf("LogPage", logLine);

export const logBatch = z
  .object({ lines: z.array(logLine) })
  .meta({ id: "LogBatch", description: "Lines that were found together" });

export const logsEnded = z
  .object({})
  .meta({ id: "LogsEnded", description: "The run has ended, and everything was sent" });
