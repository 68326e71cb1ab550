import { z } from "zod";
import { stepShapes, workflowShape } from "./format.js";

/** Generates the published JSON Schema from the shapes, with nested steps. */
export function workflowJsonSchema(): object {
  const step: z.ZodType = z.lazy(() => z.union(Object.values(stepShapes(steps, body)))).meta({ id: "step" });
  const steps = z.array(step).meta({ id: "steps" });
  const body = z.union([steps, z.strictObject({ steps, output: z.string().min(1).optional() })]);
  return { title: "Runledger workflow", ...z.toJSONSchema(workflowShape(steps)) };
}
