import { z } from "zod";
import { partitionKinds, partitionStates } from "@runledger/contracts";
import { identifier, instant } from "../http/schemas.js";

export const partitionKey = z.string().min(1).max(200);

/** The project and environment of the runs. */
export const partitionPlace = {
  projectId: identifier.optional().meta({ description: "Project of the runs. Defaults to `default`." }),
  environmentId: identifier.optional().meta({ description: "Environment of the runs. Defaults to `default`." }),
};

export const partitionState = z.enum(partitionStates);

const partition = z
  .object({
    key: z.string().meta({ description: "Such as `2026-01-31`, `2026-01-31T08`, or a key of the workflow." }),
    start: instant.optional().meta({ description: "Start of the day or hour." }),
    end: instant.optional().meta({ description: "End of the day or hour, exclusive." }),
    state: partitionState.meta({ description: "State of the newest run. `missing` if there is none." }),
    runId: z.string().nullable().meta({ description: "Newest run of the partition. `null` if there is none." }),
  })
  .meta({ id: "Partition", description: "A partition of a workflow." });

export const partitionList = z
  .object({
    by: z.enum(partitionKinds).meta({ description: "How the workflow is partitioned." }),
    timeZone: z.string().nullable().meta({ description: "Time zone of the days. `null` if it is not set." }),
    first: z
      .string()
      .nullable()
      .meta({ description: "First partition of the workflow. `null` if none is complete yet." }),
    last: z.string().nullable().meta({ description: "Last complete partition of the workflow." }),
    items: z.array(partition).meta({ description: "Partitions in order." }),
  })
  .meta({ id: "PartitionList", description: "Partitions of a workflow with their states." });
