/** Summarizes a run of any size: its outermost steps, and counts of the steps inside containers. */
import { z } from "zod";
import type { StepRow } from "@runledger/contracts";
import { type RunState, toRunHeader, UNDO } from "@runledger/core";
import { stateAt } from "@runledger/runtime/projector/state-at";
import { ok, route } from "../http/define-route.js";
import { etagHeader, etagOf, matchesEtag, notModified, notModifiedResponse } from "../http/etag.js";
import { instant, seqNumber } from "../http/schemas.js";
import { atSeq, byRun, checkSeq, findRun } from "./find-run.js";
import { landmarkEvents } from "./landmark-events.js";
import { run } from "./run-schema.js";
import { step } from "./step-schema.js";

const group = z
  .object({
    stepId: z.string().meta({ description: "Id of the container." }),
    done: z.int(),
    failed: z.int(),
    running: z.int(),
    waiting: z.int(),
    skipped: z.int(),
  })
  .meta({ id: "StepGroup", description: "Number of steps inside a container by status." });

const landmark = z
  .object({
    runSeq: seqNumber,
    eventType: z.string(),
    emittedAt: instant,
    workerId: z.string().optional().meta({ description: "Worker that took over the run." }),
    epoch: z.int().optional().meta({ description: "Lease epoch after a takeover." }),
  })
  .meta({ id: "RunLandmark", description: "A takeover, pause, resume, reopening or reset of a run." });

const runOutline = z
  .object({
    run,
    steps: z.array(step).meta({ description: "Steps outside containers." }),
    complete: z
      .boolean()
      .meta({ description: "`false` if the run has more than 2,000 such steps; further ones are omitted." }),
    groups: z.array(group).meta({ description: "Steps inside containers, counted." }),
    landmarks: z.array(landmark).meta({
      description: "Takeovers, pauses, resumes, reopenings and resets: the last 100 of each type, ordered by seq.",
    }),
  })
  .meta({ id: "RunOutline", description: "A summary of a run at one seq." });

export const getRunOutline = route({
  method: "GET",
  path: "/runs/{runId}/outline",
  operationId: "getRunOutline",
  tag: "runs",
  summary: "Get the outline of a run",
  description:
    "Returns the outermost steps and counts of the steps inside containers. The response stays small for runs of any size.",
  role: "viewer",
  isLargeRead: true,
  params: byRun,
  query: z.strictObject({ atSeq }),
  responses: { 200: { description: "The outline", schema: runOutline }, ...notModifiedResponse },
  problems: ["RUN_NOT_FOUND"],
  handle: async ({ params: { runId }, query, headers, store, api }) => {
    const seq = checkSeq(await findRun(store, runId), query.atSeq);
    const etag = etagOf(api.ledger.store, seq);
    if (matchesEtag(headers, etag)) return notModified(etag);
    const state = await stateAt(api.ledger.store, runId, seq);
    return ok({ ...outlineOf(state), landmarks: await landmarkEvents(store, state) }, etagHeader(etag));
  },
});

/** Keeps the response small. */
const MAX_STEPS = 2000;

const FIELD_BY_STATUS = {
  SUCCESS: "done",
  FAILED: "failed",
  RUNNING: "running",
  PENDING: "waiting",
  SKIPPED: "skipped",
} as const;

type Tally = Record<(typeof FIELD_BY_STATUS)[StepRow["status"]], number>;

function outlineOf(state: RunState) {
  const outermost: StepRow[] = [];
  const groups = new Map<string, Tally>();
  for (const row of state.steps.rows()) {
    const [container, ...rest] = row.stepId.split("/");
    if (rest.length === 0 || row.stepId.startsWith(UNDO)) outermost.push(row);
    else addToGroup(groups, container!, row.status);
  }
  return {
    run: toRunHeader(state),
    steps: outermost.slice(0, MAX_STEPS),
    complete: outermost.length <= MAX_STEPS,
    groups: [...groups].map(([stepId, tally]) => ({ stepId, ...tally })),
  };
}

function addToGroup(groups: Map<string, Tally>, container: string, status: StepRow["status"]): void {
  const tally = groups.get(container) ?? { done: 0, failed: 0, running: 0, waiting: 0, skipped: 0 };
  tally[FIELD_BY_STATUS[status]]++;
  groups.set(container, tally);
}
