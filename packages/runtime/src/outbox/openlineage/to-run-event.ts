/** Maps an event of a run to the OpenLineage event that states the same. No input, output or state is part of it. */
import type { CanonicalEngineEvent, DatasetUses, RunError } from "@runledger/contracts";
import { lineageDatasets } from "./lineage-datasets.js";
import { jobName, lineageRunId } from "./lineage-ids.js";
import { facet, PRODUCER, RUN_EVENT_SCHEMA, type Facets, type LineageJob } from "./run-event.js";
import type { RunEvent, RunEventType } from "./run-event.js";
import type { RunFacts, RunLogs } from "./run-logs.js";
import { transitionOf, type Transition } from "./transition.js";

export interface Mapping {
  readonly tenantId: string;
  /** Namespace of all jobs. */
  readonly namespace: string;
  readonly logs: RunLogs;
}

/** Returns `null` if OpenLineage has no counterpart. The same event always returns the same result. */
export async function toRunEvent(event: CanonicalEngineEvent, mapping: Mapping): Promise<RunEvent | null> {
  const { logs } = mapping;
  logs.note(event);
  const transition = transitionOf(event);
  if (transition === null) return null;
  if (transition.mayLackStart === true && !(await logs.hasStart(event))) return null;
  const isRun = event.stepId === undefined;
  const facts = await factsOf(event, logs);
  const parent = isRun ? await parentRun(facts, mapping) : runOf(event.runId, facts, mapping);
  return runEventOf(event, transition, { ...mapping, facts, parent });
}

/** Events of steps name all that they need. */
async function factsOf({ runId, stepId, planId }: CanonicalEngineEvent, logs: RunLogs): Promise<RunFacts> {
  if (stepId !== undefined && planId !== undefined) return { workflow: planId };
  const facts = await logs.factsOf(runId);
  return { ...facts, workflow: planId ?? facts.workflow };
}

/** An event for testing a subscription. It belongs to the job `runledger.test`. */
export function testRunEvent(event: CanonicalEngineEvent, { tenantId, namespace }: Mapping): RunEvent {
  const runId = lineageRunId({ tenantId, runId: event.eventId });
  return envelope(event, "OTHER", {
    run: { runId, facets: {} },
    job: { namespace, name: "runledger.test", facets: {} },
  });
}

interface Run {
  readonly run: { readonly runId: string };
  readonly job: LineageJob;
}

interface Known extends Mapping {
  readonly facts: RunFacts;
  readonly parent: Run | null;
}

function runEventOf(event: CanonicalEngineEvent, { type, error, datasets }: Transition, known: Known): RunEvent {
  const { runId, stepId, logicalAttemptId: attempt } = event;
  const { tenantId, namespace, facts, parent } = known;
  const workflow = workflowOf(facts);
  const facets = {
    ...(parent === null ? {} : { parent: facet("ParentRunFacet", { run: parent.run, job: { ...parent.job } }) }),
    ...nominalTime(facts),
    ...engineOf(event),
    ...errorOf(error),
  };
  const run = { runId: lineageRunId({ tenantId, runId, stepId, attempt }), facets };
  const name = stepId === undefined ? workflow : jobName(workflow, stepId);
  const jobType = stepId === undefined ? "WORKFLOW" : "STEP";
  const kind = facet("JobTypeJobFacet", { processingType: "BATCH", integration: "RUNLEDGER", jobType });
  return envelope(event, type, { run, job: { namespace, name, facets: { jobType: kind } } }, datasets);
}

function envelope(
  { persistedAt, emittedAt }: CanonicalEngineEvent,
  eventType: RunEventType,
  { run, job }: Pick<RunEvent, "run" | "job">,
  datasets?: DatasetUses,
): RunEvent {
  const eventTime = persistedAt ?? emittedAt;
  return {
    eventType,
    eventTime,
    producer: PRODUCER,
    schemaURL: RUN_EVENT_SCHEMA,
    run,
    job,
    ...lineageDatasets(datasets),
  };
}

/** A log that names no workflow comes from another engine. */
function workflowOf({ workflow = "unknown" }: RunFacts): string {
  return workflow;
}

async function parentRun({ parentRunId }: RunFacts, mapping: Mapping): Promise<Run | null> {
  if (parentRunId === undefined) return null;
  const facts = await mapping.logs.factsOf(parentRunId);
  return facts.workflow === undefined ? null : runOf(parentRunId, facts, mapping); // it may have been deleted
}

function runOf(runId: string, facts: RunFacts, { tenantId, namespace }: Mapping): Run {
  return { run: { runId: lineageRunId({ tenantId, runId }) }, job: { namespace, name: workflowOf(facts) } };
}

function nominalTime({ nominalTime: nominalStartTime }: RunFacts): Facets {
  return nominalStartTime === undefined ? {} : { nominalTime: facet("NominalTimeRunFacet", { nominalStartTime }) };
}

/** `embedded-v1.2.3` is version 1.2.3 of `runledger-embedded`. */
function engineOf({ adapterVersion = "" }: CanonicalEngineEvent): Facets {
  const [, engine, version] = /^(.+)-v(.+)$/.exec(adapterVersion) ?? [];
  if (engine === undefined || version === undefined) return {};
  return { processing_engine: facet("ProcessingEngineRunFacet", { name: `runledger-${engine}`, version }) };
}

/** The stack may contain paths of the machine, so it is not sent. */
function errorOf(error: RunError | undefined): Facets {
  if (error === undefined) return {};
  const message = `${error.code}: ${error.message}`;
  return { errorMessage: facet("ErrorMessageRunFacet", { message, programmingLanguage: "JavaScript" }) };
}
