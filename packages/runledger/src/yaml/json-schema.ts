import { z } from "zod";
import { stepShapes, workflowShape } from "./format.js";

/** The published JSON Schema: the same shapes, with steps in steps. */
export function workflowJsonSchema(): object {
  const step: z.ZodType = z.lazy(() => z.union(Object.values(stepShapes(steps, body)))).meta({ id: "step" });
  const steps = z.array(step).meta({ id: "steps" });
  const body = z.union([steps, z.strictObject({ steps, output: z.string().min(1).optional() })]);
  return { title: "A Runledger workflow", ...z.toJSONSchema(workflowShape(steps)) };
}
