import { z } from "zod";
import { run } from "./run.js";
import { step } from "./step.js";

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

export const runOutline = z
  .object({
    run,
    steps: z.array(step).meta({ description: "Those that are in no container" }),
    complete: z.boolean().meta({ description: "False = there are more than 2,000 of them" }),
    groups: z.array(group),
  })
  .meta({ id: "RunOutline", description: "A run of any size as it was known at one seq" });
