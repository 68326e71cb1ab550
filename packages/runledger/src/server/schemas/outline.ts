import { z } from "zod";
import { run } from "./run.js";
import { step } from "./step.js";
import { instant, seq } from "./values.js";

const group = z
  .object({
    stepId: z.string().meta({ description: "The container" }),
    done: z.int(),
    failed: z.int(),
    running: z.int(),
    waiting: z.int(),
    skipped: z.int(),
  })
  .meta({ id: "StepGroup", description: "How many of the steps inside a container are what" });

const landmark = z
  .object({
    runSeq: seq,
    eventType: z.string(),
    emittedAt: instant,
    workerId: z.string().optional(),
    epoch: z.int().optional(),
  })
  .meta({ id: "RunLandmark", description: "Something that happened to a run as a whole while it ran" });

export const runOutline = z
  .object({
    run,
    steps: z.array(step).meta({ description: "Those that are in no container" }),
    complete: z.boolean().meta({ description: "False = there are more than 2,000 of them" }),
    groups: z.array(group),
    landmarks: z
      .array(landmark)
      .meta({ description: "Take-overs, pauses, resumptions, reopenings and resets: the last 100 of each, by seq" }),
  })
  .meta({ id: "RunOutline", description: "A run of any size as it was known at one seq" });
