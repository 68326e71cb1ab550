/**
 * The format of a workflow file, once: what is read is checked against it, and the published JSON Schema is made from it.
 * Values are data. What is computed says so: `{ cel: "input.day" }`; `{ literal: … }` keeps data that looks like that.
 */
import { z } from "zod";

const text = z.string().min(1, "must not be empty.");
const duration = z
  .string()
  .regex(/^\d+(\.\d+)?(ms|s|m|h|d)$/, 'is no duration. Write it as in "10m".')
  .meta({ description: '"500ms", "30s", "10m", "2h" or "3d"' });
const count = z.int("must be a whole number from 1.").min(1, "must be a whole number from 1.");
const expression = text.meta({ description: "A CEL expression over input, needs, state, item, index, iteration" });
const computed = z.strictObject({ cel: expression });
const secret = z.strictObject({ secret: text, prefix: z.string().optional() });
const value = z.unknown().meta({ description: "Any data; { cel: … } in it is computed, { literal: … } is not" });
const jsonSchema = z.record(z.string(), z.unknown()).meta({ description: "A JSON Schema" });

const argument = z.union([z.string(), computed], { error: "must be text in quotes, or { cel: … }." });
const setting = z.union([z.string(), computed, secret], {
  error: "must be text in quotes, { cel: … } or { secret: … }.",
});

const common = {
  id: text,
  needs: z
    .union([z.array(text), z.record(z.string(), text)], { error: "must be a list of steps, or names for them." })
    .optional(),
  after: z.array(text).optional(),
  timeout: duration.optional(),
  continueOnFailure: z.boolean().optional(),
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

const request = z.strictObject({
  url: argument,
  method: text.optional(),
  path: z.array(argument).meta({ description: "Segments behind the url, each encoded" }).optional(),
  query: z.record(z.string(), argument).optional(),
  headers: z.record(z.string(), setting).optional(),
  body: value.optional(),
  maxBytes: count.optional(),
});

/** What a step of each kind may say. `steps` are those of a container; a `body` is such a list, or has an output too. */
export function stepShapes<S extends z.ZodType, B extends z.ZodType>(steps: S, body: B) {
  const inner = { steps, output: text.optional() };
  return {
    command: z.strictObject({
      ...common,
      retry,
      command: z.tuple([text], argument).meta({ description: "The program, then its arguments; no shell" }),
      cwd: text.optional(),
      env: z.record(z.string(), setting).optional(),
    }),
    sql: z.strictObject({
      ...common,
      retry,
      sql: text.meta({ description: "One statement; values are $1, $2, … and come from params" }),
      params: z.array(value).optional(),
      connection: text.optional(),
      transaction: z.boolean().optional(),
    }),
    http: z.strictObject({ ...common, retry, http: request }),
    kind: z.strictObject({ ...common, retry, kind: text, with: z.record(z.string(), value).optional() }),
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
        error: 'must be a duration, as in "10m", or { until: … }.',
      }),
    }),
    child: z.strictObject({
      ...common,
      retry,
      child: z.strictObject({ workflow: text, version: text, input: value.optional() }),
    }),
  };
}

/** The file as a whole. */
export function workflowShape<S extends z.ZodType>(steps: S) {
  return z.strictObject({
    $schema: z.string().optional(),
    workflow: text,
    version: text.optional(),
    deadline: duration.optional(),
    approval: z.boolean().optional(),
    input: jsonSchema.optional(),
    signals: z.record(z.string(), jsonSchema).optional(),
    state: z.strictObject({ initial: z.unknown(), schema: jsonSchema.optional() }).optional(),
    steps,
    output: text.optional(),
  });
}

/** A body, where its steps are read one by one. */
const bodyShape = z.strictObject({ steps: z.array(z.unknown()), output: text.optional() });

const unread = z.array(z.unknown());
export const shapes = stepShapes(unread, z.union([unread, bodyShape], { error: "must be a list of steps." }));
export const header = workflowShape(unread);

export type Kind = keyof typeof shapes;
export const kinds = Object.keys(shapes) as readonly Kind[];
export type FileStep<K extends Kind = Kind> = { [Each in K]: z.infer<(typeof shapes)[Each]> }[K];
export type FileHeader = z.infer<typeof header>;
export type FileBody = z.infer<typeof bodyShape>;
