/** Reads a workflow file into a definition, and collects its problems. */
import { omitUndefined, type Json, type Partitions, type PlanProblem } from "@runledger/contracts";
import type { Definition, DefinitionBody, Duration } from "@runledger/core";
import { z } from "zod";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";
import type { AnySchema } from "../workflow/schema.js";
import { header, type FileHeader } from "./format.js";
import { MAX_PATTERNS, useLinearPatterns, patternsIn, patternProblem } from "./linear-patterns.js";
import { readBody, type Reading } from "./read-steps.js";
import { schemaProblem } from "./schema-limits.js";
import { shapeProblems } from "./shape-problems.js";
import type { Path, Source } from "./source.js";

export interface WorkflowFile {
  /** `null` if the file does not have the shape of a workflow; `problems` has the reasons. */
  readonly definition: Definition | null;
  readonly parts: Omit<CompiledWorkflow, "plan">;
  readonly problems: readonly PlanProblem[];
  readonly expressions: readonly PlanProblem[];
}

export function readWorkflow(source: Source): WorkflowFile {
  const reading: Reading = { source, closures: new Map(), problems: [], expressions: [] };
  const { closures, problems, expressions } = reading;
  const checked = header.safeParse(source.value);
  if (!checked.success) problems.push(...shapeProblems(source, WHOLE, checked.error, Object.keys(header.shape)));
  const body = readBody(reading, [], stepsOf(source.value), { around: [], prefix: "", more: [] });
  const written: Partial<FileHeader> = checked.data ?? {};
  const parts = {
    closures,
    initialState: written.state?.initial as Json | undefined,
    ...readSchemas(reading, written),
    ...omitUndefined({ visibility: written.visibility }),
  };
  const definition = checked.success && problems.length === 0 ? toDefinition(source, checked.data, body) : null;
  return { definition, parts, problems, expressions };
}

const WHOLE = { path: [], step: "" };

/** Reads the steps even if the header is invalid, so that all problems are reported together. */
function stepsOf(value: unknown): { steps: unknown[]; output?: string } {
  const { steps, output } = (value ?? {}) as { steps?: unknown; output?: string };
  return { steps: Array.isArray(steps) ? steps : [], ...omitUndefined({ output }) };
}

function toDefinition(source: Source, written: FileHeader, body: DefinitionBody): Definition {
  const { workflow: id, version, approval, compensateOn } = written;
  const partitions = written.partitions as Partitions | undefined;
  const deadline = written.deadline as Duration | undefined;
  const places = {
    id: ["workflow"],
    version: ["version"],
    deadline: ["deadline"],
    ...Object.fromEntries(
      Object.keys(written.partitions ?? {}).map((name) => [`partitions.${name}`, ["partitions", name]]),
    ),
  };
  const origins = Object.fromEntries(Object.entries(places).map(([at, path]) => [at, source.origin(path)]));
  return {
    id,
    body,
    ...omitUndefined({ version, deadline, approval, compensateOn, partitions }),
    origin: source.origin([]),
    origins,
  };
}

function readSchemas(reading: Reading, { input, signals = {}, state }: Partial<FileHeader>) {
  const checked = Object.entries(signals).map(([name, schema]) => {
    return [name, toSchema(reading, ["signals", name], schema)] as const;
  });
  if (state?.schema !== undefined) checkInitial(reading, toSchema(reading, ["state", "schema"], state.schema), state);
  return {
    input: input === undefined ? undefined : toSchema(reading, ["input"], input),
    signals: Object.fromEntries(checked) as Readonly<Record<string, AnySchema>>,
  };
}

function toSchema(reading: Reading, path: Path, schema: Readonly<Record<string, unknown>>): z.ZodType {
  const problem = schemaProblem(schema);
  if (problem !== null) {
    const message = `${path.join(".")} can take too long to validate: it ${problem}.`;
    reading.problems.push({ code: "PLAN_SCHEMA_UNSAFE", step: "", message, origin: reading.source.origin(path) });
    return z.unknown();
  }
  try {
    const made = z.fromJSONSchema(schema);
    const unsafe = patternProblems(reading.source, path, schema);
    reading.problems.push(...unsafe);
    return unsafe.length === 0 ? useLinearPatterns(made) : made;
  } catch (error) {
    const message = `${path.join(".")} is not a supported JSON Schema: ${(error as Error).message}.`;
    reading.problems.push({ code: "PLAN_OPTION_INVALID", step: "", message, origin: reading.source.origin(path) });
    return z.unknown();
  }
}

function patternProblems(source: Source, path: Path, schema: unknown): PlanProblem[] {
  const patterns = patternsIn(schema, path);
  if (patterns.length > MAX_PATTERNS) {
    const message = `${path.join(".")} has ${patterns.length} patterns. The limit is ${MAX_PATTERNS}.`;
    return [{ code: "PLAN_PATTERN_UNSAFE", step: "", message, origin: source.origin(path) }];
  }
  return patterns.flatMap((written): PlanProblem[] => {
    const problem = patternProblem(written);
    if (problem === null) return [];
    const message = `${written.path.join(".")} cannot be matched in linear time: ${problem}.`;
    return [{ code: "PLAN_PATTERN_UNSAFE", step: "", message, origin: source.origin(written.path) }];
  });
}

function checkInitial({ source, problems }: Reading, schema: z.ZodType, { initial }: { initial: unknown }): void {
  const checked = schema.safeParse(initial);
  if (checked.success) return;
  problems.push(...shapeProblems(source, { path: ["state", "initial"], step: "" }, checked.error, []));
}
