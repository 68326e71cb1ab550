import type { RunFilter } from "@runledger/contracts";
import type { z } from "zod";
import { present } from "../../workflow/present.js";
import type { streamQuery } from "../schemas/run-list.js";

/** The query's words for what the index calls otherwise. */
export function toFilter(tenantId: string, query: z.output<typeof streamQuery>): RunFilter {
  const { workflow, project, environment, version, status, labels, createdFrom, createdTo, error, parent, schedule } =
    query;
  return {
    tenantId,
    ...present({ planId: workflow, projectId: project, environmentId: environment, planVersion: version, status }),
    ...present({ createdFrom, createdTo, errorText: error, parentRunId: parent, scheduleId: schedule }),
    ...(labels === undefined ? {} : { labels: toLabels(labels) }),
  };
}

function toLabels(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf(":")), pair.slice(pair.indexOf(":") + 1)]));
}
