import type { Json, JsonObject } from "@runledger/contracts";
import { readJson } from "./json-field.js";

export interface Field {
  readonly name: string;
  readonly kind: "text" | "number" | "boolean" | "choice" | "json";
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  readonly description: string | null;
  readonly initial: Json | undefined;
  /** An example of the format. `null` if the field takes free text. */
  readonly example: string | null;
}

export type Values = Readonly<Record<string, string | boolean>>;

interface Property {
  readonly type?: string;
  readonly enum?: readonly Json[];
  readonly description?: string;
  readonly default?: Json;
  readonly format?: string;
}

const EXAMPLES: Readonly<Record<string, string>> = {
  date: "2026-11-14",
  time: "08:00:00",
  "date-time": "2026-11-14T08:00:00Z",
  duration: "PT15M",
  email: "ada@example.com",
  uri: "https://example.com",
};

/** Returns `null` if the schema is not an object with known properties. The form then takes JSON. */
export function fieldsOf(schema: JsonObject | null): readonly Field[] | null {
  if (schema?.["type"] !== "object" || typeof schema["properties"] !== "object") return null;
  const required = (schema["required"] ?? []) as readonly string[];
  return Object.entries(schema["properties"] as unknown as Record<string, Property>).map(([name, property]) => ({
    name,
    kind: kindOf(property),
    choices: (property.enum ?? []).map(String),
    isRequired: required.includes(name) && property.default === undefined,
    description: property.description ?? null,
    initial: property.default,
    example: EXAMPLES[property.format ?? ""] ?? null,
  }));
}

function kindOf({ type, enum: choices }: Property): Field["kind"] {
  if (choices?.every((choice) => typeof choice === "string")) return "choice";
  if (type === "string") return "text";
  if (type === "number" || type === "integer") return "number";
  return type === "boolean" ? "boolean" : "json";
}

export function initialValues(fields: readonly Field[]): Values {
  return Object.fromEntries(fields.map((field) => [field.name, initialOf(field)]));
}

function initialOf({ kind, initial, choices, isRequired }: Field): string | boolean {
  if (kind === "boolean") return initial === true;
  if (initial !== undefined) return typeof initial === "string" ? initial : JSON.stringify(initial);
  return kind === "choice" && isRequired ? (choices[0] ?? "") : "";
}

interface ReadValues {
  readonly value: JsonObject;
  /** Problems by field name. */
  readonly problems: Readonly<Record<string, string>>;
}

/** Leaves empty optional fields out. The server checks everything else. */
export function readValues(fields: readonly Field[], values: Values): ReadValues {
  const value: Record<string, Json> = {};
  const problems: Record<string, string> = {};
  for (const field of fields) {
    const read = readValue(field, values[field.name]!);
    if ("problem" in read) problems[field.name] = read.problem;
    else if (read.value !== undefined) value[field.name] = read.value;
  }
  return { value, problems };
}

function readValue(
  { kind, isRequired }: Field,
  given: string | boolean,
): { value: Json | undefined } | { problem: string } {
  if (typeof given === "boolean") return { value: given };
  if (given.trim() === "") return isRequired ? { problem: "This field is required." } : { value: undefined };
  if (kind === "number") return Number.isNaN(Number(given)) ? { problem: "Enter a number." } : { value: Number(given) };
  if (kind !== "json") return { value: given };
  const read = readJson(given);
  return read.error === null ? { value: read.value } : { problem: read.error };
}
