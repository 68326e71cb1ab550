import { z } from "zod";
import { MAX_DATASET_NAME } from "@runledger/contracts";
import { freshnessValues } from "@runledger/runtime/datasets/view-dataset";
import { instant } from "../http/schemas.js";

export const datasetText = z
  .string()
  .min(1)
  .max(MAX_DATASET_NAME)
  .regex(/^[^\p{Cc}\p{Surrogate}]+$/u, "must not contain control characters.");

const step = {
  planId: z.string().meta({ description: "Id of the workflow." }),
  stepId: z.string().meta({ description: "Id of the step, with the containers around it." }),
};

const use = z
  .object({
    ...step,
    runId: z.string().nullable().meta({ description: "`null` if the run was deleted." }),
    attempt: z.string(),
    at: instant,
    rows: z.int().optional(),
    bytes: z.int().optional(),
  })
  .meta({ id: "DatasetUse", description: "A completed attempt of a step that read or wrote the dataset." });

const view = {
  namespace: z.string(),
  name: z.string(),
  freshness: z.enum(freshnessValues).meta({
    description:
      "`stale` if the last write is older than its policy allows. `no-policy` if the step that wrote it last declares none.",
  }),
  freshForMs: z.int().nullable().meta({ description: "The policy. `null` if there is none." }),
  lastWrite: use.nullable().meta({ description: "`null` if no step has written the dataset." }),
};

export const dataset = z.object(view).meta({ id: "Dataset" });

const neighbor = z
  .object({ namespace: z.string(), name: z.string(), steps: z.array(z.object(step)) })
  .meta({ id: "DatasetNeighbor", description: "Another dataset, and the steps that connect the two." });

const field = z.object({ name: z.string(), type: z.string().optional(), description: z.string().optional() });

export const datasetDetail = z
  .object({
    ...view,
    fields: z.array(field).meta({ description: "The fields that the last write reported." }),
    writers: z.array(use).meta({ description: "The steps that write it, each with its last write." }),
    readers: z.array(use).meta({ description: "The steps that read it, each with its last read." }),
    upstream: z.array(neighbor).meta({ description: "Datasets that the writers read." }),
    downstream: z.array(neighbor).meta({ description: "Datasets that the readers write." }),
    writes: z.array(use).meta({ description: "The last 20 writes, newest first." }),
  })
  .meta({ id: "DatasetDetail" });
