/** What each kind of step in a file becomes: a part of the definition, and the closures that a worker asks. */
import type { Json, JsonObject } from "@runledger/contracts";
import type { DefinitionBody, DefinitionStep, Duration } from "@runledger/core";
import type { Closures } from "../workflow/compiled-workflow.js";
import { present } from "../workflow/present.js";
import type { Scope, Wanted } from "./cel.js";
import type { FileBody, FileStep, Kind } from "./format.js";
import { toRequest, toSettings } from "./http-request.js";
import type { Path } from "./source.js";
import { toText, type Template } from "./template.js";

export interface Converted {
  readonly parts: Partial<DefinitionStep> & { readonly kind: string };
  readonly closures: Closures;
}

/** Reads parts of one step; paths are the step's own. */
export interface StepReader {
  expression(path: Path, wanted: Wanted, more?: readonly string[]): Template;
  template(path: Path): Template;
  body(path: Path, body: FileBody, more: readonly string[]): DefinitionBody;
  /** A closure of the engine's from a function of what expressions see. */
  closure(path: Path, evaluate: (scope: Scope) => unknown): (context: never) => Promise<unknown>;
}

type Converters = { readonly [K in Kind]: (step: FileStep<K>, read: StepReader) => Converted };

export const converters: Converters = {
  command: (step, read) => {
    const { command: run, cwd, env } = step;
    const [args, variables] = [read.template(["command"]), read.template(["env"])];
    const told = (scope: Scope): JsonObject => ({
      run: (args(scope) as readonly Json[]).map(toText),
      ...(env === undefined ? {} : { env: toSettings(variables(scope)) }),
    });
    return work("command", { run, cwd, env }, read.closure(["command"], told));
  },

  sql: ({ sql, params, connection, transaction }, read) => {
    const binds = read.template(["params"]);
    const told = (scope: Scope): JsonObject => (params === undefined ? {} : { params: binds(scope) });
    return work("sql", { text: sql, params, connection, transaction }, read.closure(["params"], told));
  },

  http: ({ http }, read) => {
    const request = read.template(["http"]);
    return work(
      "http",
      http,
      read.closure(["http"], (scope) => toRequest(request(scope) as JsonObject)),
    );
  },

  kind: ({ kind, with: told = {} }, read) => work(kind, told, read.closure(["with"], read.template(["with"]))),

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
      parts: { kind: "forEach", bodies, options: { items: forEach }, ...present({ concurrency }) },
      closures: { open },
    };
  },

  repeat: ({ repeat: { until, max, delay }, steps, output }, read) => {
    const path = ["repeat", "until"];
    const ask = read.closure(path, read.expression(path, "condition", ["iteration", "output"]));
    const bodies = [read.body([], { steps, output }, ["iteration"])];
    const parts = {
      kind: "repeat",
      bodies,
      max,
      options: { until },
      ...present({ delay: delay as Duration | undefined }),
    };
    return { parts, closures: { until: ask } };
  },

  wait: ({ wait, onTimeout }) => ({ parts: { kind: "wait", signal: wait, ...present({ onTimeout }) }, closures: {} }),

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

/** A step that a runner runs. The plan holds what was written; what is told to the runner is computed from it. */
function work(kind: string, options: object, told: (context: never) => Promise<unknown>): Converted {
  return { parts: { kind, options: present(options) as JsonObject }, closures: { options: told } };
}

function asBody(body: readonly unknown[] | FileBody): FileBody {
  return Array.isArray(body) ? { steps: body } : (body as FileBody);
}
