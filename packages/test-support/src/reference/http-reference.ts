/** Generates docs/reference/http.md from the OpenAPI document: operations, roles and refusals. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Operation {
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly "x-role"?: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, Answer>>;
}

export interface HttpDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export function httpReference({ paths, components }: HttpDocument): string {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const tags = [...new Set(all.flatMap(({ operation }) => operation.tags))];
  const sections = tags.map((tag) => {
    const own = all.filter(({ operation }) => operation.tags.includes(tag));
    return [`## ${tag}`, ...own.map(({ path, method, operation }) => about(method, path, operation))].join("\n\n");
  });
  const objects = Object.entries(components.schemas).map(([name, schema]) => `### ${name}\n\n${shape(schema)}`);
  return `<!-- Generated from openapi.json. Do not edit. -->

# HTTP API

[openapi.json](openapi.json) has the same content for programs; a server shows it at \`/api/docs\`. Callers send an API key, a JWT or the
token of the data directory as \`Authorization: Bearer …\`. Each role includes the roles before it: viewer, operator, engineer, admin. Errors
are problem details (RFC 9457) with a \`code\` that has [a page](../errors/README.md). Lists have pages: pass \`next\` of a page as \`after\` of
the following request. \`@runledger/client\` is a typed client: it retries requests that are safe to repeat, and concurrent starts share a
request.

Also: \`GET /healthz\` reports that the process is alive, \`GET /readyz\` whether it is ready, and \`GET /metrics\` has metrics for
Prometheus.

${sections.join("\n\n")}

## objects

${objects.join("\n\n")}
`;
}

function about(method: string, path: string, operation: Operation): string {
  const role = operation["x-role"];
  const says = `${operation.summary}.${operation.description === undefined ? "" : ` ${operation.description}`}`;
  const body = Object.values(operation.requestBody?.content ?? {})[0];
  const parts = [
    `### ${method.toUpperCase()} ${path}`,
    says,
    `Role: ${role ?? "none"}.${body === undefined ? "" : ` Body: ${typeOf(body.schema)}.`}`,
    parameters(operation),
    answers(operation),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function parameters(operation: Operation): string {
  if (operation.parameters.length === 0) return "";
  const rows = operation.parameters.map(
    ({ name, in: place, required, description = "", schema }) =>
      `| \`${name}\` | ${place} | ${typeOf(schema)} | ${required ? "yes" : ""} | ${description} |`,
  );
  return ["| parameter | in | type | required | |", "| --- | --- | --- | --- | --- |", ...rows].join("\n");
}

function answers({ responses }: Operation): string {
  const good = Object.entries(responses).filter(([status]) => Number(status) < 400);
  const bad = Object.entries(responses).filter(([status]) => Number(status) >= 400);
  const rows = good.map(([status, { description, content = {} }]) => {
    const schema = Object.values(content)[0]?.schema;
    return `- ${status}: ${description}${schema === undefined ? "" : ` (${typeOf(schema)})`}`;
  });
  const refused = bad.map(([status, { description }]) => `${status} ${description}`).join("; ");
  return [...rows, ...(refused === "" ? [] : [`- refused: ${refused}`])].join("\n");
}

function shape(schema: Schema): string {
  const rows = Object.entries(schema.properties ?? {}).map(([name, { description = "", ...member }]) => {
    const required = schema.required?.includes(name) === true ? "yes" : "";
    return `| \`${name}\` | ${typeOf(member)} | ${required} | ${oneLine(description)} |`;
  });
  const says = schema.description === undefined ? [] : [schema.description];
  if (rows.length === 0) return [...says, typeOf({ ...schema, description: "" })].join("\n\n");
  return [...says, ["| field | type | required | |", "| --- | --- | --- | --- |", ...rows].join("\n")].join("\n\n");
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1)!;
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.map(typeOf).join(" or ");
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  if (Array.isArray(schema.type)) return schema.type.join(" or ");
  return schema.type === undefined ? "any JSON" : (schema.type as string);
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|");
