/**
 * Patterns of the JSON Schemas in workflow files. A published schema runs on the server for every input, and a JavaScript
 * regular expression can take years for a short text. So RE2 matches patterns in linear time, and other patterns are refused.
 */
import { RE2JS } from "re2js";
import type { z } from "zod";
import type { Path } from "./source.js";

export interface SchemaPattern {
  readonly path: Path;
  readonly pattern: string;
  /** Applies to property names. Zod gives no access to such a pattern, so it cannot be replaced. */
  readonly isForNames: boolean;
}

/** Keywords whose values are data, not schemas. */
const DATA_KEYWORDS = new Set(["default", "const", "enum", "examples"]);

export function patternsIn(schema: unknown, path: Path, isForNames = false): SchemaPattern[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema as Readonly<Record<string, unknown>>).flatMap(([name, value]): SchemaPattern[] => {
    const at = [...path, name];
    if (name === "pattern" && typeof value === "string") return [{ path: at, pattern: value, isForNames }];
    if (DATA_KEYWORDS.has(name)) return [];
    const inside = patternsIn(value, at, isForNames || name === "propertyNames");
    if (name !== "patternProperties" || typeof value !== "object" || value === null) return inside;
    return [...inside, ...Object.keys(value).map((key) => ({ path: [...at, key], pattern: key, isForNames: true }))];
  });
}

/** Patterns of one schema. */
export const MAX_PATTERNS = 100;
const MAX_LENGTH = 500;
const MAX_STATES = 500;
/** Characters times states of one match, so that it takes milliseconds. A longer text does not match. */
const MAX_WORK = 8_000_000;

/** Explains why a pattern cannot be used; `null` if it can. */
export function patternProblem({ pattern, isForNames }: SchemaPattern): string | null {
  if (isForNames)
    return isPlain(pattern) ? null : "a pattern for property names may have no group and one repetition after ^";
  if (pattern.length > MAX_LENGTH) return `it has more than ${MAX_LENGTH} characters`;
  try {
    const states = toLinear(pattern).programSize();
    return states <= MAX_STATES ? null : `it has ${states} states, and the limit is ${MAX_STATES}. Repeat less`;
  } catch (error) {
    return (error as Error).message.replace("error parsing regexp: ", "");
  }
}

/** Returns `true` if no engine can backtrack: without repetition, or with one in a pattern that starts with ^. */
function isPlain(pattern: string): boolean {
  const bare = pattern.replaceAll(/\\./g, "x").replaceAll(/\[[^\]]*\]/g, "x");
  const repetitions = bare.match(/[*+?{]/g)?.length ?? 0;
  return !bare.includes("(") && (repetitions === 0 || (repetitions === 1 && /^\^[^|]*$/.test(bare)));
}

export function toLinear(pattern: string): RE2JS {
  return RE2JS.compile(RE2JS.translateRegExp(pattern));
}

/** A RegExp for zod that matches with RE2. */
class LinearPattern extends RegExp {
  readonly #linear: RE2JS;

  constructor(pattern: RegExp) {
    super(pattern);
    this.#linear = toLinear(pattern.source);
  }

  override test(text: string): boolean {
    return text.length * this.#linear.programSize() <= MAX_WORK && this.#linear.test(text);
  }
}

/** Replaces every pattern of the schema. */
export function useLinearPatterns(schema: z.ZodType): z.ZodType {
  visit(schema, new Set());
  return schema;
}

interface Part {
  readonly _zod?: { readonly def: Definition };
}

interface Definition {
  readonly type?: string;
  readonly format?: string;
  readonly getter?: () => unknown;
  pattern?: RegExp;
}

function visit(part: unknown, seen: Set<unknown>): void {
  if (typeof part !== "object" || part === null || part instanceof RegExp || seen.has(part)) return;
  seen.add(part);
  const { _zod: { def } = {} } = part as Part;
  if (def === undefined) return Object.values(part).forEach((inner) => visit(inner, seen));
  if (def.format === "regex" && def.pattern !== undefined) def.pattern = new LinearPattern(def.pattern);
  if (def.type === "lazy") visit(def.getter?.(), seen);
  visit(def, seen);
}
