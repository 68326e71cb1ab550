import { PlanError, type Json, type PlanProblem } from "@runledger/contracts";
import { compilePlan, type Definition, type Duration } from "@runledger/core";
import { z } from "zod";
import { attach } from "../workflow/compiled-workflow.js";
import { present } from "../workflow/present.js";
import type { AnySchema } from "../workflow/schema.js";
import { header, type FileHeader } from "./format.js";
import type { LoadedWorkflow, LoadOptions } from "./load-workflow.js";
import { readBody, type Reading } from "./read-steps.js";
import { shapeProblems } from "./shape-problems.js";
import { Source, type Path } from "./source.js";

/** The workflow that a text describes. Throws a PlanError that says all that is wrong with it, and where. */
export function buildWorkflow(text: string, file: string, { kinds = [] }: LoadOptions): LoadedWorkflow {
  const source = new Source(text, file);
  const checked = header.safeParse(source.value);
  const top = { path: [], step: "" };
  if (!checked.success) return refuse(file, shapeProblems(source, top, checked.error, Object.keys(header.shape)));
  const written = checked.data;
  const reading: Reading = { source, closures: new Map(), problems: [], expressions: [] };
  const { steps, output } = written;
  const body = readBody(reading, [], present({ steps, output }) as { steps: unknown[] }, TOP);
  const schemas = readSchemas(reading, written);
  if (reading.problems.length > 0) return refuse(file, reading.problems);
  const plan = compilePlan(toDefinition(source, written, body), { kinds, expressions: () => reading.expressions });
  const made = { id: plan.planId, version: plan.planVersion };
  const initialState = written.state?.initial as Json | undefined;
  attach(made, { plan, closures: reading.closures, initialState, ...schemas });
  return made as LoadedWorkflow;
}

const TOP = { around: [], prefix: "", more: [] };

function refuse(file: string, problems: readonly PlanProblem[]): never {
  throw new PlanError(file, problems as [PlanProblem, ...PlanProblem[]]);
}

function toDefinition(source: Source, written: FileHeader, body: Definition["body"]): Definition {
  const { workflow: id, version, approval } = written;
  const deadline = written.deadline as Duration | undefined;
  const origins = {
    id: source.origin(["workflow"]),
    version: source.origin(["version"]),
    deadline: source.origin(["deadline"]),
  };
  return { id, body, ...present({ version, deadline, approval }), origin: source.origin([]), origins };
}

function readSchemas(reading: Reading, { input, signals = {}, state }: FileHeader) {
  const checkedSignals = Object.entries(signals).map(
    ([name, schema]) => [name, toSchema(reading, ["signals", name], schema)!] as const,
  );
  const stateSchema = toSchema(reading, ["state", "schema"], state?.schema);
  if (stateSchema instanceof z.ZodType) checkInitial(reading, stateSchema, state?.initial);
  return { input: toSchema(reading, ["input"], input), signals: Object.fromEntries(checkedSignals) };
}

function toSchema(
  reading: Reading,
  path: Path,
  schema: Readonly<Record<string, unknown>> | undefined,
): AnySchema | undefined {
  if (schema === undefined) return undefined;
  try {
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (error) {
    const message = `${path.join(".")} is no JSON Schema that can be used: ${(error as Error).message}.`;
    reading.problems.push({ code: "PLAN_OPTION_INVALID", step: "", message, origin: reading.source.origin(path) });
    return z.unknown();
  }
}

function checkInitial(reading: Reading, schema: z.ZodType, initial: unknown): void {
  const checked = schema.safeParse(initial);
  if (checked.success) return;
  const place = { path: ["state", "initial"], step: "" };
  reading.problems.push(...shapeProblems(reading.source, place, checked.error, []));
}
