/** Steps of a file, one by one: what cannot be read is put down and passed over, so that all of it is said at once. */
import type { PlanProblem } from "@runledger/contracts";
import type { DefinitionBody, DefinitionStep, Duration } from "@runledger/core";
import { FatalStepError } from "../engine/step-errors.js";
import type { Closures } from "../workflow/compiled-workflow.js";
import { present } from "../workflow/present.js";
import { compileExpression, ExpressionError, type Scope, type Visible, type Wanted } from "./cel.js";
import { kinds, shapes, type FileBody, type FileStep, type Kind } from "./format.js";
import { nearest } from "./nearest.js";
import { namesOf, originsOf } from "./origins.js";
import { toScope } from "./scope.js";
import { shapeProblems, type Place } from "./shape-problems.js";
import type { Path, Source } from "./source.js";
import { converters, type Converted, type StepReader } from "./step-kinds.js";
import { compileTemplate, type Template } from "./template.js";

/** What reading a file has found. */
export interface Reading {
  readonly source: Source;
  readonly closures: Map<string, Closures>;
  /** The file does not have the shape that it should. */
  readonly problems: PlanProblem[];
  /** Expressions that cannot be used. */
  readonly expressions: PlanProblem[];
}

/** The bodies around a step, innermost first: which ids they have, and what their steps are called by. */
type Around = readonly { readonly prefix: string; readonly ids: ReadonlySet<string> }[];

interface Surroundings {
  readonly around: Around;
  readonly prefix: string;
  /** `item`, `index`, `iteration`. */
  readonly more: readonly string[];
}

export function readBody(
  reading: Reading,
  path: Path,
  { steps, output }: FileBody,
  outer: Surroundings,
): DefinitionBody {
  const ids = new Set(steps.map(idOf));
  const inner = { ...outer, around: [{ prefix: outer.prefix, ids }, ...outer.around] };
  const stepsPath = Array.isArray(at(reading.source.value, path)) ? path : [...path, "steps"];
  const read = steps.flatMap((step, index) => readStep(reading, [...stepsPath, index], step, inner));
  if (output === undefined) return { steps: read };
  const origins = { output: reading.source.origin([...path, "output"]) };
  return { steps: read, output: outer.prefix + output, origins };
}

function readStep(reading: Reading, path: Path, step: unknown, outer: Surroundings): DefinitionStep[] {
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
  if (found.length > 1) refuse(`is both ${found.join(" and ")}. Make them two steps.`);
  else {
    const near = fields.map((field) => nearest(field, kinds)).find((kind) => kind !== undefined);
    const hint = near === undefined ? "" : ` Did you mean ${near}?`;
    refuse(`says nothing of what it does.${hint} Give it one of ${kinds.join(", ")}.`);
  }
  return null;
}

/** Of whatever it is that stands in a list of steps. */
function idOf(step: unknown): string {
  const { id } = (step ?? {}) as { id?: unknown };
  return typeof id === "string" ? id : "";
}

function toDefinition(reading: Reading, place: Place, kind: Kind, step: FileStep, outer: Surroundings): DefinitionStep {
  const { source, closures } = reading;
  const { id, needs = [], after = [], timeout, continueOnFailure } = step;
  const retry = "retry" in step ? (step.retry as DefinitionStep["retry"]) : undefined;
  const names = namesOf(needs);
  const convert = converters[kind] as (step: FileStep, read: StepReader) => Converted;
  const converted = convert(step, stepReader(reading, place, outer, Object.keys(names)));
  closures.set(place.step, converted.closures);
  return {
    id,
    needs: Object.fromEntries(Object.entries(names).map(([name, target]) => [name, resolve(target, outer.around)])),
    after: after.map((target) => resolve(target, outer.around)),
    ...present({ timeout: timeout as Duration | undefined, continueOnFailure, retry }),
    ...converted.parts,
    origin: source.origin(place.path),
    origins: originsOf(source, place.path, step),
  };
}

/** A name means the nearest step that has it, from the inside out. */
function resolve(name: string, around: Around): string {
  const home = around.find(({ ids }) => ids.has(name));
  return home === undefined ? name : home.prefix + name;
}

function stepReader(reading: Reading, place: Place, outer: Surroundings, needs: readonly string[]): StepReader {
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
    closure: (path, evaluate) => async (context: never) =>
      evaluated(source.origin([...place.path, ...path]), evaluate, await toScope(context)),
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

/** An expression is data over data: what failed once fails again. */
function evaluated(origin: string, evaluate: (scope: Scope) => unknown, scope: Scope): unknown {
  try {
    return evaluate(scope);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new FatalStepError("EXPRESSION_FAILED", `${origin}: ${error.message}`);
  }
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((part, key) => (part as Record<string | number, unknown>)[key], value);
}
