/** Creates the OpenAPI 3.1 document from the routes and their zod schemas. */
import { z } from "zod";
import { omitUndefined, type ErrorCode } from "@runledger/contracts";
import type { Route } from "../http/define-route.js";
import { problem, PROBLEM_TYPE, statusOf } from "../http/problems.js";

export type JsonSchema = Readonly<Record<string, unknown>>;
type Schemas = Record<string, JsonSchema>;

/** Errors of every route. */
const COMMON_PROBLEMS: readonly ErrorCode[] = ["REQUEST_INVALID", "STORE_UNAVAILABLE"];

export function openApiDocument(routes: readonly Route[], version: string): JsonSchema {
  const schemas: Schemas = {};
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = (paths[`/api/v1${route.path}`] ??= {});
    path[route.method.toLowerCase()] = operation(route, schemas);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Runledger",
      version,
      description: "Start, steer and observe workflow runs. Errors are RFC 9457 problems with a stable `code`.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [{ bearer: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "An API key, a JWT, or the token of the data directory.",
        },
        session: { type: "apiKey", in: "cookie", name: "runledger_session" },
      },
      schemas: sorted(schemas),
    },
  };
}

function operation(route: Route, schemas: Schemas): JsonSchema {
  const { operationId, summary, description, tag, role, allTenants, body } = route;
  return {
    operationId,
    summary,
    ...omitUndefined({ description }),
    tags: [tag],
    ...(role === null ? { security: [] } : { "x-role": role }),
    ...(allTenants === true ? { "x-all-tenants": true } : {}),
    parameters: [...parameters(route, "path", schemas), ...parameters(route, "query", schemas)],
    ...(body === undefined ? {} : { requestBody: requestBody(body, schemas) }),
    responses: { ...successes(route, schemas), ...errors(route, schemas) },
  };
}

function parameters(route: Route, place: "path" | "query", schemas: Schemas): JsonSchema[] {
  const shape = place === "path" ? route.params : route.query;
  if (shape === undefined) return [];
  return Object.entries(shape.shape).map(([name, part]) => {
    const { description, ...schema } = toSchema(part as z.ZodType, schemas, "output");
    return {
      name,
      in: place,
      required: place === "path" || !(part as z.ZodType).safeParse(undefined).success,
      ...omitUndefined({ description }),
      ...(schema["type"] === "array" ? { style: "form", explode: false } : {}),
      schema,
    };
  });
}

function requestBody(body: z.ZodType, schemas: Schemas): JsonSchema {
  const required = !body.safeParse(undefined).success;
  return { required, content: { "application/json": { schema: toSchema(body, schemas, "input") } } };
}

function successes(route: Route, schemas: Schemas): JsonSchema {
  const entries = Object.entries(route.responses).map(([status, { description, schema, mediaType, messages = {} }]) => {
    const shapes = Object.entries(messages).map(
      ([name, message]) => [name, toSchema(message, schemas, "input")] as const,
    );
    const type = mediaType ?? "application/json";
    const shown = schema === undefined ? bodyOf(shapes.map(([, shape]) => shape)) : toSchema(schema, schemas, "input");
    const hasBody = schema !== undefined || mediaType !== undefined;
    const stream = shapes.length === 0 ? {} : { "x-messages": Object.fromEntries(shapes) as JsonSchema };
    return [status, { description, ...(hasBody ? { content: { [type]: { schema: shown, ...stream } } } : {}) }];
  });
  return Object.fromEntries(entries) as JsonSchema;
}

/** The data of a stream's messages, for clients that are generated from the document. Else the body is plain text. */
function bodyOf(messages: readonly JsonSchema[]): JsonSchema {
  return messages.length === 0 ? { type: "string" } : { oneOf: [...messages] };
}

/** Error codes with the same status share a response. */
function errors(route: Route, schemas: Schemas): JsonSchema {
  const byStatus = new Map<number, string[]>();
  const denied: readonly ErrorCode[] = route.role === null ? [] : ["UNAUTHENTICATED", "FORBIDDEN"];
  for (const code of [...route.problems, ...denied, ...COMMON_PROBLEMS]) {
    const status = statusOf(code);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const content = { [PROBLEM_TYPE]: { schema: toSchema(problem, schemas, "input") } };
  const entries = [...byStatus].map(([status, codes]) => [status, { description: codes.join(", "), content }]);
  return Object.fromEntries(entries) as JsonSchema;
}

/** Collects named schemas for the `components` of the document. */
function toSchema(schema: z.ZodType, schemas: Schemas, io: "input" | "output"): JsonSchema {
  const { $schema: _, $defs = {}, ...own } = z.toJSONSchema(schema, { io }) as JsonSchema & { $defs?: Schemas };
  for (const [name, part] of Object.entries($defs)) schemas[name] = withPaths(part);
  return withPaths(own);
}

function withPaths(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text, (key, value: unknown) => (isDefaultBound(key, value) ? undefined : value)) as JsonSchema;
}

/** Omits the bounds of safe integers, which zod adds to every integer. */
function isDefaultBound(key: string, value: unknown): boolean {
  return (key === "minimum" || key === "maximum") && Math.abs(value as number) === Number.MAX_SAFE_INTEGER;
}

function sorted(schemas: Schemas): Schemas {
  return Object.fromEntries(Object.entries(schemas).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
