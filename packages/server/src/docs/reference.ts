/** Renders the OpenAPI document as one HTML page. */
import { type Html, html } from "./html.js";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}
interface Content {
  readonly description?: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly "x-role"?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}
export interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export function reference({ info, paths, components }: Document): Html {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return html`<h1>${info.title} API ${info.version}</h1>
    <p>${info.description} OpenAPI document: <a href="/api/openapi.json">/api/openapi.json</a></p>
    <nav>
      <ul>
        ${operations.map(({ method, path, operation }) => html`<li><a href="#${operation.operationId}">${method} ${path}</a></li>`)}
      </ul>
    </nav>
    <h2>Operations</h2>
    ${operations.map(({ method, path, operation }) => section(method, path, operation))}
    <h2>Schemas</h2>
    ${Object.entries(components.schemas).map(([name, schema]) => schemaSection(name, schema))}`;
}

function section(method: string, path: string, operation: Operation): Html {
  const { operationId, summary, description = "", parameters, requestBody, responses } = operation;
  return html`<section id="${operationId}">
    <h3><code>${method} ${path}</code></h3>
    <p>${summary}. <span class="dim">${requiredRole(operation)}</span></p>
    <p>${description}</p>
    ${
      parameters.length === 0
        ? ""
        : html`<table>
            ${parameters.map(parameterRow)}
          </table>`
    }
    ${requestBody === undefined ? "" : html`<p>Body: ${contentOf(requestBody)}</p>`}
    <table>
      ${Object.entries(responses).map(
        ([status, response]) =>
          html`<tr>
            <th>${status}</th>
            <td>${response.description ?? ""}</td>
            <td>${contentOf(response)}</td>
          </tr>`,
      )}
    </table>
  </section>`;
}

function requiredRole({ "x-role": role }: Operation): string {
  return role === undefined ? "No authentication" : `Requires the role ${role} or higher.`;
}

function parameterRow({ name, in: place, required, description = "", schema }: Parameter): Html {
  const kind = required ? place : `${place}, optional`;
  return html`<tr>
    <th><code>${name}</code></th>
    <td class="dim">${kind}</td>
    <td>${typeOf(schema)}</td>
    <td>${description}</td>
  </tr>`;
}

function contentOf({ content = {} }: Content): Html {
  return html`${Object.values(content).map(({ schema }) => typeOf(schema))}`;
}

function schemaSection(name: string, schema: Schema): Html {
  const required = new Set(schema.required);
  const rows = Object.entries(schema.properties ?? {}).map(
    ([key, part]) =>
      html`<tr>
        <th><code>${key}${required.has(key) ? "" : "?"}</code></th>
        <td>${typeOf(part)}</td>
        <td>${part.description ?? ""}</td>
      </tr>`,
  );
  return html`<section id="${name}">
    <h3>${name}</h3>
    <p>${schema.description ?? ""}</p>
    <table>
      ${rows}
    </table>
  </section>`;
}

function typeOf(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1)!;
    return html`<a href="#${name}">${name}</a>`;
  }
  if (schema.enum !== undefined) return html`<code>${schema.enum.map(String).join(" | ")}</code>`;
  if (schema.items !== undefined) return html`list of ${typeOf(schema.items)}`;
  if (schema.anyOf !== undefined) return html`${schema.anyOf.map((one) => html`${typeOf(one)} `)}`;
  return html`<code>${[schema.type ?? "any JSON"].flat().join(" | ")}</code>`;
}
