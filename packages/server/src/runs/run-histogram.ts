import { z } from "zod";
import { ok, route } from "../http/define-route.js";
import { instant } from "../http/schemas.js";
import { countQuery, filterQuery, timeParam, toFilter } from "./run-filter.js";
import { runCounts } from "./run-summary.js";
import { scanHistogram } from "./scan-histogram.js";

const histogram = z
  .object({
    bars: z.array(z.object({ at: instant.meta({ description: "Start of the bar." }), counts: runCounts })),
    complete: z.boolean().meta({ description: "`false` if only the newest runs of the range were counted." }),
  })
  .meta({ id: "RunHistogram", description: "Runs by time of creation and current status." });

const { status: _status, createdFrom: _from, createdTo: _to, ...filters } = filterQuery;

const histogramQuery = z.strictObject({
  ...filters,
  from: timeParam.meta({ description: "Start of the range." }),
  to: timeParam.meta({ description: "End of the range, exclusive." }),
  bucket: z.enum(["minute", "hour", "day"]).meta({ description: "Width of a bar." }),
});

export const runHistogram = route({
  method: "GET",
  path: "/run-histogram",
  operationId: "runHistogram",
  tag: "runs",
  summary: "Count runs over time",
  description:
    "Groups runs by time of creation and current status. Returns at most 1,000 bars and omits bars without runs. With a " +
    "filter other than workflow, project and environment, it counts only the newest runs if there are too many.",
  role: "viewer",
  query: histogramQuery,
  responses: { 200: { description: "The bars in ascending order", schema: histogram } },
  problems: ["OPTION_INVALID"],
  handle: async ({ query: { from, to, bucket, ...query }, caller, api }) => {
    const { index } = api.ledger.store;
    const filter = toFilter(caller.tenantId, query);
    if (isCounted(query)) return ok({ bars: await index.histogram({ ...filter, from, to, bucket }), complete: true });
    return ok(await scanHistogram(index, { ...filter, createdFrom: from, createdTo: to }, bucket));
  },
});

/** Counters answer without reading runs. */
function isCounted(query: object): boolean {
  return Object.keys(query).every((name) => name in countQuery);
}
