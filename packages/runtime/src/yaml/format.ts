/**
 * The format of a workflow file. The loader checks files against it, and the published JSON Schema is generated from it.
 * Values are data. `{ cel: "input.day" }` is a computed value; `{ literal: … }` keeps data that looks like one.
 */
import { compensateOnValues } from "@runledger/contracts";
import { z } from "zod";

const text = z.string().min(1, "must not be empty.");
const duration = z
  .string()
  .regex(/^\d+(\.\d+)?(ms|s|m|h|d)$/, 'is not a duration. Use one such as "10m".')
  .meta({ description: '"500ms", "30s", "10m", "2h" or "3d"' });
const count = z.int("must be a whole number of at least 1.").min(1, "must be a whole number of at least 1.");
const expression = text.meta({ description: "CEL expression over input, needs, state, item, index and iteration" });
const computed = z.strictObject({ cel: expression });
const secret = z.strictObject({ secret: text, prefix: z.string().optional() });
const value = z
  .unknown()
  .meta({ description: "Any data. { cel: … } in it is computed, { literal: … } is kept as it is" });
const jsonSchema = z.record(z.string(), z.unknown()).meta({ description: "JSON Schema" });

const argument = z.union([z.string(), computed], { error: "must be a quoted string or { cel: … }." });
const setting = z.union([z.string(), computed, secret], {
  error: "must be a quoted string, { cel: … } or { secret: … }.",
});

const common = {
  id: text,
  needs: z
    .union([z.array(text), z.record(z.string(), text)], {
      error: "must be a list of steps, or a map from names to steps.",
    })
    .optional(),
  after: z.array(text).optional(),
  timeout: duration.optional(),
  continueOnFailure: z.boolean().optional(),
  settle: z
    .boolean()
    .meta({ description: "Dependents run even if the step fails, and read { ok, value } or { ok, error }" })
    .optional(),
};

const retry = z
  .strictObject({
    attempts: count,
    delay: duration.optional(),
    factor: z.number().min(1, "must be at least 1.").optional(),
    maxDelay: duration.optional(),
    unless: z.array(text).optional(),
  })
  .optional();

const field = z.strictObject({ name: text, type: text.optional(), description: z.string().optional() });
const column = z.strictObject({ dataset: text, namespace: text.optional(), column: text });
const columns = z
  .record(z.string(), z.array(column))
  .meta({ description: "For each column that is written, the columns that it is computed from" })
  .optional();
const dataset = { name: text, namespace: text.optional(), fields: z.array(field).optional() };
const reads = z.union([text, z.strictObject(dataset)], { error: "must be a name, or { name, namespace, fields }." });
const writes = z.union([text, z.strictObject({ ...dataset, columns, freshFor: duration.optional() })], {
  error: "must be a name, or { name, namespace, freshFor, fields, columns }.",
});
const datasets = z
  .strictObject({ reads: z.array(reads).optional(), writes: z.array(writes).optional() })
  .meta({
    description:
      "Datasets that the step reads and writes. A written one is stale if its last write is older than freshFor",
  })
  .optional();

const request = z.strictObject({
  url: argument,
  method: text.optional(),
  path: z.array(argument).meta({ description: "Path segments appended to the URL, each encoded" }).optional(),
  query: z.record(z.string(), argument).optional(),
  headers: z.record(z.string(), setting).optional(),
  body: value.optional(),
  maxBytes: count.optional(),
  redirectHosts: z.array(text).meta({ description: "Other hosts to which the request may be redirected" }).optional(),
});

const commandParts = {
  command: z.tuple([text], argument).meta({ description: "Program and its arguments, run without a shell" }),
  cwd: text.optional(),
  env: z.record(z.string(), setting).optional(),
};
const sqlParts = {
  sql: text.meta({ description: "One statement. $1, $2, … are the values of params" }),
  params: z.array(value).optional(),
  connection: text.optional(),
  transaction: z.boolean().optional(),
};
const kindParts = { kind: text, with: z.record(z.string(), value).optional() };

const compensate = z
  .union(
    [
      z.strictObject(commandParts),
      z.strictObject(sqlParts),
      z.strictObject({ http: request }),
      z.strictObject(kindParts),
    ],
    { error: "must have one of command, sql, http or kind, with the options of such a step." },
  )
  .meta({ description: "Undoes the effect of the step. Expressions may read its output" })
  .optional();

/** Shapes of steps by kind. `steps` is the list of a container; a `body` is such a list, or an object with steps and output. */
export function stepShapes<S extends z.ZodType, B extends z.ZodType>(steps: S, body: B) {
  const inner = { steps, output: text.optional() };
  return {
    command: z.strictObject({ ...common, retry, compensate, datasets, ...commandParts }),
    sql: z.strictObject({ ...common, retry, compensate, datasets, ...sqlParts }),
    http: z.strictObject({ ...common, retry, compensate, datasets, http: request }),
    kind: z.strictObject({ ...common, retry, compensate, datasets, ...kindParts }),
    when: z.strictObject({ ...common, when: expression, then: body, otherwise: body.optional() }),
    forEach: z.strictObject({ ...common, forEach: expression, concurrency: count.optional(), ...inner }),
    repeat: z.strictObject({
      ...common,
      repeat: z.strictObject({ until: expression, max: count, delay: duration.optional() }),
      ...inner,
    }),
    wait: z.strictObject({
      ...common,
      wait: text,
      onTimeout: z.enum(["fail", "continue"], 'must be "fail" or "continue".').optional(),
    }),
    sleep: z.strictObject({
      ...common,
      sleep: z.union([duration, z.strictObject({ until: expression })], {
        error: 'must be a duration such as "10m", or { until: … }.',
      }),
    }),
    child: z.strictObject({
      ...common,
      retry,
      child: z.strictObject({ workflow: text, version: text, input: value.optional() }),
    }),
  };
}

const partitionStart = text.meta({ description: 'First day or hour, such as "2026-01-01"' });
const partitionEnd = text.meta({ description: "Last day or hour. Default: there is always a next one" });
const span = { start: partitionStart, end: partitionEnd.optional() };
const partitions = z
  .discriminatedUnion(
    "by",
    [
      z.strictObject({ by: z.literal("day"), ...span, timeZone: text.optional() }),
      z.strictObject({ by: z.literal("hour"), ...span }),
      z.strictObject({ by: z.literal("key"), keys: z.array(text) }),
    ],
    { error: "must have by: day, by: hour or by: key." },
  )
  .meta({ description: "Days, hours or keys that each have runs of their own. Steps read theirs as partition" });

/** Shape of the whole file. */
export function workflowShape<S extends z.ZodType>(steps: S) {
  return z.strictObject({
    $schema: z.string().optional(),
    workflow: text,
    version: text.optional(),
    deadline: duration.optional(),
    approval: z.boolean().optional(),
    compensateOn: z.array(z.enum(compensateOnValues, 'must be "cancel" or "failure".')).optional(),
    visibility: z
      .union([z.literal("shared"), z.strictObject({ tenants: z.array(text).min(1) })], {
        error: 'must be "shared", or { tenants: [...] } with at least one tenant.',
      })
      .meta({ description: "Tenants that see the workflow and may start it. Default: all" })
      .optional(),
    partitions: partitions.optional(),
    input: jsonSchema.optional(),
    signals: z.record(z.string(), jsonSchema).optional(),
    state: z.strictObject({ initial: z.unknown(), schema: jsonSchema.optional() }).optional(),
    steps,
    output: text.optional(),
  });
}

/** A body whose steps are checked one by one. */
const bodyShape = z.strictObject({ steps: z.array(z.unknown()), output: text.optional() });

const uncheckedSteps = z.array(z.unknown());
export const shapes = stepShapes(
  uncheckedSteps,
  z.union([uncheckedSteps, bodyShape], { error: "must be a list of steps." }),
);
export const header = workflowShape(uncheckedSteps);

export type Kind = keyof typeof shapes;
export const kinds = Object.keys(shapes) as readonly Kind[];
export type FileStep<K extends Kind = Kind> = { [Each in K]: z.infer<(typeof shapes)[Each]> }[K];
export type FileHeader = z.infer<typeof header>;
export type FileBody = z.infer<typeof bodyShape>;
