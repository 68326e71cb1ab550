/** Reads the steps of a file one by one. It collects problems instead of throwing, so that all are reported together. */
import { setImmediate } from "node:timers/promises";
import { omitUndefined, type PlanProblem } from "@runledger/contracts";
import type { DefinitionBody, DefinitionStep, Duration } from "@runledger/core";
import { FatalStepError } from "../workflow/step-errors.js";
import type { Closures } from "../workflow/compiled-workflow.js";
import { compileExpression, type Scope, type Visible, type Wanted } from "./cel.js";
import { withMeter } from "./cel-meter.js";
import { ExpressionError } from "./expression-error.js";
import { kinds, shapes, type FileBody, type FileStep, type Kind } from "./format.js";
import { nearest } from "./nearest.js";
import { namesOf, originsOf } from "./origins.js";
import { toScope } from "./scope.js";
import { shapeProblems, type Place } from "./shape-problems.js";
import type { Path, Source } from "./source.js";
import { converters, type Converted, type StepReader } from "./step-kinds.js";
import { compileTemplate, type Template } from "./template.js";

/** Results and problems collected while a file is read. */
export interface Reading {
  readonly source: Source;
  readonly closures: Map<string, Closures>;
  /** Problems with the shape of the file. */
  readonly problems: PlanProblem[];
  /** Problems with expressions. */
  readonly expressions: PlanProblem[];
}

/** The bodies around a step, innermost first, with their step ids and the prefix of their steps. */
type EnclosingBodies = readonly { readonly prefix: string; readonly ids: ReadonlySet<string> }[];

interface StepContext {
  readonly around: EnclosingBodies;
  readonly prefix: string;
  /** `item`, `index`, `iteration`. */
  readonly more: readonly string[];
}

export function readBody(
  reading: Reading,
  path: Path,
  { steps, output }: FileBody,
  outer: StepContext,
): DefinitionBody {
  const ids = new Set(steps.map(idOf));
  const inner = { ...outer, around: [{ prefix: outer.prefix, ids }, ...outer.around] };
  const stepsPath = Array.isArray(at(reading.source.value, path)) ? path : [...path, "steps"];
  const read = steps.flatMap((step, index) => readStep(reading, [...stepsPath, index], step, inner));
  if (output === undefined) return { steps: read };
  const origins = { output: reading.source.origin([...path, "output"]) };
  return { steps: read, output: outer.prefix + output, origins };
}

function readStep(reading: Reading, path: Path, step: unknown, outer: StepContext): DefinitionStep[] {
  const { source, problems } = reading;
  const place: Place = { path, step: outer.prefix + idOf(step) };
  const kind = kindOf(step, (message) => {
    problems.push({ code: "PLAN_SYNTAX", step: place.step, message, origin: source.origin(path) });
  });
  if (kind === null) return [];
  const checked = shapes[kind].safeParse(step);
  if (checked.success) return [toDefinition(reading, place, kind, checked.data, outer)];
  problems.push(...shapeProblems(source, place, checked.error, Object.keys(shapes[kind].shape)));
  return [];
}

function kindOf(step: unknown, refuse: (message: string) => void): Kind | null {
  const fields = typeof step === "object" && step !== null ? Object.keys(step) : [];
  const found = kinds.filter((kind) => fields.includes(kind));
  if (found.length === 1) return found[0]!;
  if (found.length > 1) refuse(`is both ${found.join(" and ")}. Split it into two steps.`);
  else {
    const near = fields.map((field) => nearest(field, kinds)).find((kind) => kind !== undefined);
    const hint = near === undefined ? "" : ` Did you mean ${near}?`;
    refuse(`has no kind.${hint} Add one of ${kinds.join(", ")}.`);
  }
  return null;
}

/** Returns an empty string if the item of the list has no id. */
function idOf(step: unknown): string {
  const { id } = (step ?? {}) as { id?: unknown };
  return typeof id === "string" ? id : "";
}

function toDefinition(reading: Reading, place: Place, kind: Kind, step: FileStep, outer: StepContext): DefinitionStep {
  const { source, closures } = reading;
  const { id, needs = [], after = [], timeout, continueOnFailure, settle } = step;
  const retry = "retry" in step ? (step.retry as DefinitionStep["retry"]) : undefined;
  const datasets = "datasets" in step ? (step.datasets as DefinitionStep["datasets"]) : undefined;
  const names = namesOf(needs);
  const convert = converters[kind] as (step: FileStep, read: StepReader) => Converted;
  const converted = convert(step, stepReader(reading, place, outer, Object.keys(names)));
  const undo = readUndo(reading, place, step, outer, Object.keys(names));
  closures.set(place.step, { ...converted.closures, ...undo.closures });
  return {
    id,
    needs: Object.fromEntries(Object.entries(names).map(([name, target]) => [name, resolve(target, outer.around)])),
    after: after.map((target) => resolve(target, outer.around)),
    ...omitUndefined({ timeout: timeout as Duration | undefined, continueOnFailure, settle, retry, datasets }),
    ...converted.parts,
    ...undo.parts,
    origin: source.origin(place.path),
    origins: originsOf(source, place.path, step),
  };
}

/** Reads the step that compensates another one. Its expressions also read the output of that step. */
function readUndo(
  reading: Reading,
  place: Place,
  step: FileStep,
  outer: StepContext,
  needs: readonly string[],
): { readonly parts?: Partial<DefinitionStep>; readonly closures?: Closures } {
  const written = "compensate" in step ? step.compensate : undefined;
  if (written === undefined) return {};
  const kind = kinds.find((name) => name in written)!;
  const convert = converters[kind] as (step: object, read: StepReader) => Converted;
  const inside = { ...place, path: [...place.path, "compensate"] };
  const read = stepReader(reading, inside, { ...outer, more: [...outer.more, "output"] }, needs);
  const { parts, closures } = convert(written, read);
  const compensateWith = { kind: parts.kind, ...omitUndefined({ options: parts.options }) };
  return { parts: { compensate: true, compensateWith }, closures: { undo: closures } };
}

/** Resolves a name to the nearest step with this id, from the inside out. */
function resolve(name: string, around: EnclosingBodies): string {
  const home = around.find(({ ids }) => ids.has(name));
  return home === undefined ? name : home.prefix + name;
}

function stepReader(reading: Reading, place: Place, outer: StepContext, needs: readonly string[]): StepReader {
  const { source } = reading;
  const compile = (path: Path, text: string, visible: Visible, wanted: Wanted): Template =>
    compiled(reading, place, path, () => compileExpression(text, visible, wanted));
  return {
    expression: (path, wanted, more = []) => {
      const whole = [...place.path, ...path];
      return compile(whole, String(at(source.value, whole)), { needs, more: [...outer.more, ...more] }, wanted);
    },
    template: (path) => {
      const whole = [...place.path, ...path];
      const visible = { needs, more: outer.more };
      return compileTemplate(at(source.value, whole), whole, (text, inner) => compile(inner, text, visible, "value"));
    },
    body: (path, body, more) => {
      const inner = { around: outer.around, prefix: `${place.step}/`, more: [...outer.more, ...more] };
      return readBody(reading, [...place.path, ...path], body, inner);
    },
    closure: (path, evaluate) => async (context: never) => {
      const scope = await toScope(context);
      const { value, cost } = evaluated(source.origin([...place.path, ...path]), evaluate, scope);
      if (cost > COST_BEFORE_PAUSE) await setImmediate();
      return value;
    },
  };
}

function compiled(reading: Reading, { step }: Place, path: Path, compile: () => Template): Template {
  try {
    return compile();
  } catch (error) {
    const { message, offset } = error as ExpressionError;
    const origin = reading.source.originInside(path, offset);
    reading.expressions.push({ code: "PLAN_EXPRESSION_INVALID", step, message, origin });
    return () => null;
  }
}

interface Evaluated {
  readonly value: unknown;
  readonly cost: number;
}

/** After an expensive expression, heartbeats and other runs of the worker get a turn. */
const COST_BEFORE_PAUSE = 50_000;

/** An expression is deterministic, so its failure is not retried. */
function evaluated(origin: string, evaluate: (scope: Scope) => unknown, scope: Scope): Evaluated {
  try {
    return withMeter((meter) => ({ value: evaluate(scope), cost: meter.cost }));
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new FatalStepError("EXPRESSION_FAILED", `${origin}: ${error.message}`);
  }
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((part, key) => (part as Record<string | number, unknown>)[key], value);
}
