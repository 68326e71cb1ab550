/**
 * Patterns of the JSON Schemas in workflow files. Whoever publishes a workflow decides what a server does with every input,
 * and JavaScript's own expressions can take years for a short text. So patterns are matched in time that grows with the
 * text alone (RE2), and what cannot be is refused.
 */
import { RE2JS } from "re2js";
import type { z } from "zod";
import type { Path } from "./source.js";

export interface WrittenPattern {
  readonly path: Path;
  readonly pattern: string;
  /** It judges names of properties, and zod keeps it where nobody can replace it. */
  readonly isOfNames: boolean;
}

/** Their values are data, not schemas. */
const DATA = new Set(["default", "const", "enum", "examples"]);

export function patternsIn(schema: unknown, path: Path, isOfNames = false): WrittenPattern[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema as Readonly<Record<string, unknown>>).flatMap(([name, value]): WrittenPattern[] => {
    const at = [...path, name];
    if (name === "pattern" && typeof value === "string") return [{ path: at, pattern: value, isOfNames }];
    if (DATA.has(name)) return [];
    const inside = patternsIn(value, at, isOfNames || name === "propertyNames");
    if (name !== "patternProperties" || typeof value !== "object" || value === null) return inside;
    return [...inside, ...Object.keys(value).map((key) => ({ path: [...at, key], pattern: key, isOfNames: true }))];
  });
}

/** Why it cannot be used; null = it can. */
export function whyNotLinear({ pattern, isOfNames }: WrittenPattern): string | null {
  if (isOfNames)
    return isPlain(pattern)
      ? null
      : "of names of properties, at most one thing is repeated, behind ^, and nothing grouped";
  try {
    toLinear(pattern);
    return null;
  } catch (error) {
    return (error as Error).message.replace("error parsing regexp: ", "");
  }
}

/** Nothing is repeated, or one thing from the beginning on: there is nothing that an engine could try twice. */
function isPlain(pattern: string): boolean {
  const bare = pattern.replaceAll(/\\./g, "x").replaceAll(/\[[^\]]*\]/g, "x");
  const repetitions = bare.match(/[*+?{]/g)?.length ?? 0;
  return !bare.includes("(") && (repetitions === 0 || (repetitions === 1 && /^\^[^|]*$/.test(bare)));
}

function toLinear(pattern: string): RE2JS {
  return RE2JS.compile(RE2JS.translateRegExp(pattern));
}

/** For zod the expression it has made; it only matches otherwise. */
class LinearPattern extends RegExp {
  readonly #linear: RE2JS;

  constructor(pattern: RegExp) {
    super(pattern);
    this.#linear = toLinear(pattern.source);
  }

  override test(text: string): boolean {
    return this.#linear.test(text);
  }
}

/** Every pattern that is reached from the schema. */
export function matchLinearly(schema: z.ZodType): z.ZodType {
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
