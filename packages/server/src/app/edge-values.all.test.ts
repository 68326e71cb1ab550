// @module-tag R-26
/**
 * Replaces each parameter and each field of a valid request by values at and beyond the edges of types. The server must
 * respond, and must not fail. The requests are generated from the OpenAPI document, so a new route is tested automatically.
 */
import { workflow } from "@runledger/runtime";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { testServer, type TestServer } from "@runledger/test-support/test-server";
import { openApiDocument } from "../openapi/document.js";
import { routes } from "./routes.js";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
}
interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const document = openApiDocument(routes, "0") as unknown as Document;

const EDGES: readonly unknown[] = [
  "__proto__",
  "constructor",
  "toString",
  "9007199254740991",
  "9007199254740993",
  "2147483648",
  "0000-01-01T00:00:00Z",
  "0001-01-01T00:00:00.000Z",
  "9999-12-31T23:59:59.999Z",
  "10000-01-01T00:00:00Z",
  "+010000-01-01T00:00:00.000Z",
  "-000001-01-01T00:00:00.000Z",
  "2026-02-31T00:00:00Z",
  "99999999999999999999d",
  "99999999d",
  "1e9h",
  Number.MAX_SAFE_INTEGER,
  Number.MAX_SAFE_INTEGER + 2,
  -1,
  1e308,
  0.5,
  2 ** 31,
  { $ref: "#" },
  [],
  {},
  null,
  true,
];

/** Values that make requests valid. */
const samples: Record<string, unknown> = {
  runId: "",
  against: "",
  keyId: "key_0",
  stepId: "first",
  workflowId: "flow",
  workflow: "flow",
  version: "1",
  name: "go",
  scheduleId: "nightly",
  subscriptionId: "hook",
  bus: { type: "none" }, // a test delivery must not use the network
  every: "1h",
  from: "2026-01-01T00:00:00Z",
  to: "2026-01-01T03:00:00Z",
  scope: "key",
  subject: "default|key",
  document: { name: "edge", version: "1", steps: [{ id: "a", sleep: "1s" }] },
  token: "rlt_wrong",
  format: "json",
};
/** Optional fields that a valid request sets, so that its other fields matter. */
const SET = new Set(["every", "from", "to", "requestId"]);

function resolve(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : resolve(document.components.schemas[schema.$ref.split("/").at(-1)!]!);
}

function sampleOf(name: string, given: Schema): unknown {
  const schema = resolve(given);
  if (name in samples) return samples[name];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return sampleOf(name, schema.anyOf[0]!);
  const type = [schema.type].flat()[0];
  if (type === "object") return objectOf(schema);
  if (type === "array") return [sampleOf("item", schema.items ?? {})];
  if (type === "integer" || type === "number") return 1;
  return type === "boolean" ? false : "x";
}

function objectOf({ properties = {}, required = [] }: Schema): Record<string, unknown> {
  const wanted = Object.entries(properties).filter(([name]) => required.includes(name) || SET.has(name));
  return Object.fromEntries(wanted.map(([name, part]) => [name, sampleOf(name, part)]));
}

/** All bodies with one field replaced, also fields of nested objects. */
function* brokenBodies(given: Schema): Generator {
  const schema = resolve(given);
  if (schema.anyOf !== undefined) for (const part of schema.anyOf) yield* brokenBodies(part);
  const whole = objectOf(schema);
  for (const [name, part] of Object.entries(schema.properties ?? {})) {
    for (const edge of EDGES) yield { ...whole, [name]: edge };
    const inner = resolve(part);
    if (inner.type === "object" && inner.properties !== undefined)
      for (const body of brokenBodies(inner)) yield { ...whole, [name]: body };
    if (inner.type === "object" && inner.properties === undefined)
      for (const edge of EDGES)
        yield { ...whole, [name]: JSON.parse(`{"__proto__":${JSON.stringify(edge)}}`) as unknown };
    if (inner.type === "array") {
      for (const edge of EDGES) yield { ...whole, [name]: [edge] };
      for (const body of brokenBodies(inner.items ?? {})) yield { ...whole, [name]: [body] };
    }
  }
}

interface Sent {
  readonly path: string;
  readonly body: unknown;
}

function* brokenRequests(path: string, { parameters, requestBody }: Operation): Generator<Sent> {
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  const values = Object.fromEntries(inPath.map(({ name, schema }) => [name, sampleOf(name, schema)]));
  const schema = requestBody?.content["application/json"]?.schema;
  const body = schema === undefined ? undefined : sampleOf("body", schema);
  const address = (changed: Record<string, unknown>): string =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(text({ ...values, ...changed }[name])));
  for (const { name } of inPath) for (const edge of EDGES) yield { path: address({ [name]: edge }), body };
  for (const { name } of inQuery)
    for (const edge of EDGES)
      yield { path: `${address({})}?${new URLSearchParams({ [name]: text(edge) }).toString()}`, body };
  if (schema !== undefined) for (const broken of brokenBodies(schema)) yield { path: address({}), body: broken };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

const flow = workflow("flow", { version: "1" }, (w) => {
  const first = w.step("first", () => 1);
  return w.waitForSignal("go", { after: [first] });
});

async function serve(): Promise<TestServer> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const served = await testServer([flow], { store: database.url });
  served.ledger.projector();
  const worker = await served.ledger.worker({ workflows: [flow] });
  const run = await served.ledger.start(flow);
  while ((await run.snapshot()).stepCount < 2) await new Promise((wake) => setTimeout(wake, 20));
  await worker.stop();
  Object.assign(samples, { runId: run.id, against: run.id });
  await served.client.putSchedule("nightly", { workflow: "flow", every: "1h" });
  await served.client.putSubscription("hook", { bus: { type: "none" } });
  return served;
}

test("values at and beyond the edges of types never cause a server fault", async () => {
  const { call, log } = await serve();
  const faults: string[] = [];
  const send = async (method: string, { path, body }: Sent): Promise<void> => {
    const response = await call(method.toUpperCase(), path, body);
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    const answer = isStream ? await response.body!.cancel().then(() => "") : await response.text();
    if (response.status >= 500) faults.push(`${method} ${path} ${JSON.stringify(body)?.slice(0, 200)}: ${answer}`);
  };
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const requests = [...brokenRequests(path.replace("/api/v1", ""), operation)];
      for (let at = 0; at < requests.length; at += 20)
        await Promise.all(requests.slice(at, at + 20).map((request) => send(method, request)));
    }
  expect(faults).toEqual([]);
  expect(log.filter(({ level }) => level === "error")).toEqual([]);
});
