import { z } from "zod";

const schema = z.record(z.string(), z.unknown());

/** `Plan` of the contracts, and what only a server that has the workflow's code knows. */
export const runPlan = z
  .object({
    planId: z.string(),
    planVersion: z.string(),
    hash: z.string().meta({ description: "Of the plan's content" }),
    body: z.record(z.string(), z.unknown()).meta({ description: "Its steps, as they were compiled" }),
    deadlineMs: z.number().nullable(),
    approval: z.boolean().meta({ description: "True = a run waits for an operator before it starts" }),
    inputSchema: schema.nullable().meta({ description: "JSON Schema; null = not known to this server" }),
    signalSchemas: z.record(z.string(), schema.nullable()).meta({ description: "JSON Schema by the signal's name" }),
  })
  .meta({ id: "RunPlan", description: "What a run follows" });
