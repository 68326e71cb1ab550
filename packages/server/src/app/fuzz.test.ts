// @module-tag U-12
/**
 * Every request gets a response that the OpenAPI document describes, and never a server fault. The requests are
 * generated from the document: most parts of a request are valid, and some are not.
 */
import { createServer } from "node:http";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import fc from "fast-check";
import { workflow } from "@runledger/runtime";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { testServer, TOKEN } from "@runledger/test-support/test-server";
import { openApiDocument } from "../openapi/document.js";
import { routes } from "./routes.js";

const CASES = 40;
const SEED = 20261115;

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly format?: string;
}
interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
interface Sent {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const document = openApiDocument(routes, "0") as unknown as Document;
const known = {
  runId: "",
  keyId: "key_0",
  stepId: "first",
  workflowId: "flow",
  version: "1",
  name: "go",
  scheduleId: "s",
  subscriptionId: "s",
  triggerId: "t",
};

const nasty = fc.constantFrom(
  "",
  " ",
  "\u0000",
  "a|b",
  "\ud800",
  "x".repeat(300),
  "../..",
  "%00",
  "' OR 1=1 --",
  "__proto__",
  "é",
  "💥",
  "null",
  "-1",
  "1e400",
);
const anyText = fc.oneof(nasty, fc.string({ unit: "binary", maxLength: 40 }), fc.string({ maxLength: 40 }));

/** Generates values that match the schema. */
function valid(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return valid(document.components.schemas[schema.$ref.split("/").at(-1)!]!);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(valid));
  switch ([schema.type].flat()[0]) {
    case "object":
      return objects(schema);
    case "array":
      return fc.array(valid(schema.items ?? {}), { minLength: 1, maxLength: 3 });
    case "integer":
      return fc.integer({ min: 1, max: 100 });
    case "number":
      return fc.double({ noNaN: true });
    case "boolean":
      return fc.boolean();
    case "string":
      return schema.format === "date-time"
        ? fc
            .date({ min: new Date("2000-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
            .map((date) => date.toISOString())
        : fc.oneof(fc.constantFrom(...Object.values(known)), fc.string({ minLength: 1, maxLength: 20 }));
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objects({ properties, required = [], additionalProperties }: Schema): fc.Arbitrary<unknown> {
  if (properties === undefined)
    return fc.dictionary(
      fc.string({ minLength: 1, maxLength: 10 }),
      valid(typeof additionalProperties === "object" ? additionalProperties : {}),
      { maxKeys: 3 },
    );
  const parts = Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, valid(part)]));
  return fc.record(parts, { requiredKeys: [...required] });
}

/** Generates mostly valid values, so that requests also reach code after the first check. */
function mostly(schema: Schema): fc.Arbitrary<unknown> {
  const wrong = fc.oneof(anyText, fc.jsonValue({ maxDepth: 2 }), fc.constant(null), fc.integer());
  const broken = fc.tuple(valid(schema), anyText, wrong).map(([value, name, part]) => {
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value, [name]: part } : part;
  });
  return fc.oneof(
    { weight: 6, arbitrary: valid(schema) },
    { weight: 2, arbitrary: broken },
    { weight: 1, arbitrary: wrong },
  );
}

function text(value: unknown): string {
  return typeof value === "string" ? value : Array.isArray(value) ? value.map(text).join(",") : JSON.stringify(value);
}

function requests({ parameters, requestBody }: Operation): fc.Arbitrary<Sent> {
  const named = (place: string) => parameters.filter((parameter) => parameter.in === place);
  const path = Object.fromEntries(
    named("path").map(({ name, schema }) => {
      const right = fc.constant((known as Record<string, string>)[name] ?? "x");
      return [
        name,
        schema.enum === undefined ? fc.oneof({ weight: 3, arbitrary: right }, anyText) : mostly(schema).map(text),
      ];
    }),
  );
  const query = Object.fromEntries(named("query").map(({ name, schema }) => [name, mostly(schema).map(text)]));
  const stray = fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), anyText, { maxKeys: 1 });
  const headers = fc.record(
    {
      "last-event-id": fc.constantFrom("3", "x", "-1", "9".repeat(40)),
      "if-none-match": fc.constantFrom("*", 'W/"1"', "x"),
      "content-type": fc.constantFrom(
        "text/plain",
        "application/json; charset=utf-8",
        "application/xml",
        "multipart/form-data",
      ),
      "runledger-tenant": fc.constantFrom("acme", "*", "a|b"),
      accept: fc.constantFrom("text/html", "application/xml"),
    },
    { requiredKeys: [] },
  );
  const schema = requestBody?.content["application/json"]?.schema;
  return fc.record({
    path: fc.record(path),
    query: fc.oneof(
      { weight: 5, arbitrary: fc.record(query, { requiredKeys: [] }) as fc.Arbitrary<Record<string, string>> },
      { weight: 1, arbitrary: stray },
    ),
    headers: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: headers }),
    body:
      schema === undefined
        ? fc.constant(undefined)
        : fc.oneof({ weight: 5, arbitrary: mostly(schema) }, fc.constantFrom(undefined, "{", "[]", '{"a":', "\u0000")),
  });
}

/** Compares responses with the document. */
class ResponseCheck {
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor() {
    this.#ajv.addSchema(document, "api");
  }

  /** `null` if the document describes the response. */
  async fault(path: string, method: string, response: Response): Promise<string | null> {
    const { status } = response;
    if (status >= 500) return `${status}: ${await response.text()}`;
    const [type = ""] = (response.headers.get("content-type") ?? "").split(";");
    const described = document.paths[path]![method]!.responses[status];
    const isGeneral = [405, 413, 415, 421].includes(status); // errors that occur before a route is found
    if (described === undefined && !isGeneral) return `${status} is not described: ${await response.text()}`;
    if (type === "text/event-stream" || type === "application/octet-stream")
      return response.body!.cancel().then(() => null);
    if (status === 304 || status === 204) return null;
    const place = status >= 400 ? "#/components/schemas/Problem" : at(path, method, status, type);
    const check = this.#check(place);
    const body: unknown = await response.json();
    if (status >= 400 && type !== "application/problem+json") return `${status} came as ${type}`;
    return check(body) ? null : `${JSON.stringify(check.errors?.[0])} in ${JSON.stringify(body).slice(0, 300)}`;
  }

  #check(place: string): ValidateFunction {
    const check = this.#validators.get(place) ?? this.#ajv.compile({ $ref: `api${place}` });
    this.#validators.set(place, check);
    return check;
  }
}

function at(path: string, method: string, status: number, type: string): string {
  const parts = ["paths", path, method, "responses", String(status), "content", type, "schema"];
  return `#/${parts.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`;
}

const responseCheck = new ResponseCheck();

const flow = workflow("flow", { version: "1" }, (w) => {
  const first = w.step("first", () => 1);
  return w.waitForSignal("go", { after: [first] });
});

test("every invalid request gets a problem", async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const { ledger, server, log } = await testServer([flow], { store: database.url });
  ledger.projector();
  const worker = await ledger.worker({ workflows: [flow] });
  const run = await ledger.start(flow);
  while ((await run.snapshot()).stepCount < 2) await new Promise((resolve) => setTimeout(resolve, 20));
  await worker.stop();
  known.runId = run.id;
  const statuses = new Map<string, number>();
  for (const [path, methods] of Object.entries(document.paths))
    for (const method of Object.keys(methods)) await fuzz(server.url, path, method, statuses);
  expect(log.filter(({ level }) => level === "error")).toEqual([]);
  // The requests included both valid and invalid ones.
  const reached = (kind: string) => [...statuses.keys()].filter((key) => key.endsWith(kind)).length;
  expect(reached("2xx")).toBeGreaterThan(statuses.size / 4);
  expect(reached("4xx")).toBeGreaterThan(statuses.size / 4);
});

async function fuzz(url: string, path: string, method: string, statuses: Map<string, number>): Promise<void> {
  const operation = document.paths[path]![method]!;
  const property = fc.asyncProperty(requests(operation), async (sent) => {
    const response = await send(url + path, method, sent);
    if (response === null) return;
    const key = `${operation.operationId} ${Math.floor(response.status / 100)}xx`;
    statuses.set(key, (statuses.get(key) ?? 0) + 1);
    const fault = await responseCheck.fault(path, method, response);
    if (fault !== null) throw new Error(`${operation.operationId} ${JSON.stringify(sent)} → ${fault}`);
  });
  await fc.assert(property, { numRuns: CASES, seed: SEED, endOnFailure: true });
}

const problem = {
  type: "/",
  title: "x",
  status: 400,
  detail: "x",
  code: "REQUEST_INVALID",
  family: "fix-input",
  requestId: "1",
};

test.each<[string, (path: string) => [status: number, type: string, body: unknown]]>([
  ["a server fault", (path) => (path.includes("after=") ? [500, "application/json", {}] : validPage())],
  ["an undocumented status", () => [418, "application/problem+json", problem]],
  ["a response that does not match its schema", () => [200, "application/json", { items: [{ runId: 5 }], next: null }]],
  ["an invalid problem", () => [400, "application/problem+json", { ...problem, code: 7 }]],
])("%s is found", async (_, respond) => {
  const faulty = createServer((request, response) => {
    const [status, type, body] = respond(request.url ?? "");
    response.writeHead(status, { "content-type": type }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => faulty.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void faulty.close());
  const { port } = faulty.address() as { port: number };
  const url = `http://127.0.0.1:${port}`;
  await expect(fuzz(url, "/api/v1/runs", "get", new Map())).rejects.toThrow("Property failed");
});

function validPage(): [number, string, unknown] {
  return [200, "application/json", { items: [], next: null }];
}

/** `null` if `fetch` refuses to send the request. */
async function send(address: string, method: string, { path, query, headers, body }: Sent): Promise<Response | null> {
  try {
    const url = address.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ""));
    const search = new URLSearchParams(query).toString();
    const content = body === undefined ? {} : { "content-type": "application/json" };
    const all = { authorization: `Bearer ${TOKEN}`, ...content, ...headers };
    const payload = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
    return await fetch(search === "" ? url : `${url}?${search}`, {
      method: method.toUpperCase(),
      headers: all,
      ...payload,
    });
  } catch (error) {
    if (error instanceof URIError || (error instanceof TypeError && !error.message.includes("fetch failed")))
      return null;
    throw error;
  }
}
