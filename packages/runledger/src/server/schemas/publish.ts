import { z } from "zod";
import { instant } from "./values.js";

/** Read by the reader of workflow files, which says all that is wrong with one. */
export const publishRequest = z.record(z.string(), z.unknown()).meta({
  id: "WorkflowDocument",
  description: "A workflow file as JSON; `workflow` and `version` may be left out, as the path says them",
});

export const publishedWorkflow = z
  .object({
    workflowId: z.string(),
    version: z.string(),
    hash: z.string().meta({ description: "Of its steps and options, without its schemas" }),
    created: z.boolean().meta({ description: "False = the same was published before" }),
    publishedAt: instant,
    needsPermission: z
      .array(z.string())
      .meta({ description: "Kinds of steps in it that run only on workers that allow them: command, sql" }),
  })
  .meta({ id: "PublishedWorkflow" });
