/** Converts each kind of step into a part of the definition and the closures that a worker calls. */
import { omitUndefined, type Json, type JsonObject } from "@runledger/contracts";
import type { DefinitionBody, DefinitionStep, Duration } from "@runledger/core";
import type { Closures } from "../workflow/compiled-workflow.js";
import type { Scope, Wanted } from "./cel.js";
import type { FileBody, FileStep, Kind } from "./format.js";
import { toRequest } from "./http-request.js";
import { compileSettings } from "./settings.js";
import type { Path } from "./source.js";
import { toText, type Template } from "./template.js";

export interface Converted {
  readonly parts: Partial<DefinitionStep> & { readonly kind: string };
  readonly closures: Closures;
}

/** Reads parts of a step. Paths are relative to the step. */
export interface StepReader {
  expression(path: Path, wanted: Wanted, more?: readonly string[]): Template;
  template(path: Path): Template;
  body(path: Path, body: FileBody, more: readonly string[]): DefinitionBody;
  /** Wraps a function of a scope as a closure for the engine. */
  closure(path: Path, evaluate: (scope: Scope) => unknown): (context: never) => Promise<unknown>;
}

type Converters = { readonly [K in Kind]: (step: FileStep<K>, read: StepReader) => Converted };

export const converters: Converters = {
  command: (step, read) => {
    const { command: run, cwd, env } = step;
    const args = read.template(["command"]);
    const variables = env && compileSettings(env, ["env"], read.template);
    const options = (scope: Scope): object => ({
      run: (args(scope) as readonly Json[]).map(toText),
      ...(variables && { env: variables(scope) }),
    });
    return work("command", { run, cwd, env }, read.closure(["command"], options));
  },

  sql: ({ sql, params, connection, transaction }, read) => {
    const binds = read.template(["params"]);
    const options = (scope: Scope): JsonObject => (params === undefined ? {} : { params: binds(scope) });
    return work("sql", { text: sql, params, connection, transaction }, read.closure(["params"], options));
  },

  http: ({ http }, read) => {
    const { headers: written, ...rest } = http;
    const parts = Object.keys(rest).map((name) => [name, read.template(["http", name])] as const);
    const headers = written && compileSettings(written, ["http", "headers"], read.template);
    const options = (scope: Scope): object => ({
      ...toRequest(Object.fromEntries(parts.map(([name, part]) => [name, part(scope)]))),
      ...(headers && { headers: headers(scope) }),
    });
    return work("http", http, read.closure(["http"], options));
  },

  kind: ({ kind, with: options = {} }, read) => work(kind, options, read.closure(["with"], read.template(["with"]))),

  when: ({ when, then, otherwise }, read) => {
    const open = read.closure(["when"], read.expression(["when"], "condition"));
    const branches = [["then", then] as const, ["otherwise", otherwise] as const];
    const bodies = branches.flatMap(([name, body]) =>
      body === undefined ? [] : [read.body([name], asBody(body), [])],
    );
    return { parts: { kind: "when", bodies, options: { if: when } }, closures: { open } };
  },

  forEach: ({ forEach, concurrency, steps, output }, read) => {
    const open = read.closure(["forEach"], read.expression(["forEach"], "list"));
    const bodies = [read.body([], { steps, output }, ["item", "index"])];
    return {
      parts: { kind: "forEach", bodies, options: { items: forEach }, ...omitUndefined({ concurrency }) },
      closures: { open },
    };
  },

  repeat: ({ repeat: { until, max, delay }, steps, output }, read) => {
    const path = ["repeat", "until"];
    const isDone = read.closure(path, read.expression(path, "condition", ["iteration", "output"]));
    const bodies = [read.body([], { steps, output }, ["iteration"])];
    const parts = {
      kind: "repeat",
      bodies,
      max,
      options: { until },
      ...omitUndefined({ delay: delay as Duration | undefined }),
    };
    return { parts, closures: { until: isDone } };
  },

  wait: ({ wait, onTimeout }) => ({
    parts: { kind: "wait", signal: wait, ...omitUndefined({ onTimeout }) },
    closures: {},
  }),

  sleep: ({ sleep }, read) => {
    if (typeof sleep === "string") return { parts: { kind: "sleep", for: sleep as Duration }, closures: {} };
    const path = ["sleep", "until"];
    const open = read.closure(path, read.expression(path, "value"));
    return { parts: { kind: "sleep", options: { until: sleep.until } }, closures: { open } };
  },

  child: ({ child: { workflow, version, input } }, read) => {
    const parts = { kind: "child", child: { planId: workflow, planVersion: version } };
    if (input === undefined) return { parts, closures: {} };
    const open = read.closure(["child", "input"], read.template(["child", "input"]));
    return { parts: { ...parts, options: { input: input as Json } }, closures: { open } };
  },
};

/** A step with a runner. The plan holds the options as written; the closure computes them for the runner. */
function work(kind: string, options: object, resolveOptions: (context: never) => Promise<unknown>): Converted {
  return { parts: { kind, options: omitUndefined(options) as JsonObject }, closures: { options: resolveOptions } };
}

function asBody(body: readonly unknown[] | FileBody): FileBody {
  return Array.isArray(body) ? { steps: body } : (body as FileBody);
}
