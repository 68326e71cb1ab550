import type { Json } from "@runledger/contracts";
import { compilePlan, type DefinitionBody, type DefinitionStep, type Duration, type StepRef } from "@runledger/core";
import { attach, compiledOf, type Closures } from "./compiled-workflow.js";
import type { AnySchema } from "./schema.js";
import type { AnyHandle, AnyWorkflow, DefineWorkflow, Retry } from "./types.js";

/** Options as the builder gets them; the types above have already said which go together. */
interface Options {
  readonly needs?: Readonly<Record<string, AnyHandle>>;
  readonly after?: readonly AnyHandle[];
  readonly timeout?: Duration;
  readonly retry?: Retry;
  readonly continueOnFailure?: boolean;
}
type Closure = (ctx: never) => unknown;
type BuildBody = (w: BodyBuilder) => AnyHandle | undefined;

/** Where a handle comes from, so that one used in the wrong place can be refused by name. */
class StepHandle {
  constructor(
    readonly id: string,
    readonly path: string,
    readonly root: RootBuilder,
  ) {}
}

interface RootBuilder {
  readonly workflowId: string;
  readonly closures: Map<string, Closures>;
}

/** Collects the steps of one body. The words of the vocabulary are its methods. */
class BodyBuilder {
  readonly steps: DefinitionStep[] = [];
  readonly #root: RootBuilder;
  readonly #prefix: string;

  constructor(root: RootBuilder, prefix: string) {
    this.#root = root;
    this.#prefix = prefix;
  }

  step(id: string, ...rest: [Closure] | [Options, Closure, { compensate: Closure }?]): StepHandle {
    const [options, run, undo] = rest.length === 1 ? [{}, rest[0]] : rest;
    const compensate = undo === undefined ? {} : { compensate: true };
    return this.#add(id, "function", options, compensate, { run, ...undo });
  }

  command(id: string, options: Options & { run: readonly string[] | Closure; cwd?: string; env?: object }): StepHandle {
    const { run, cwd, env } = options;
    const fixed = { ...(typeof run === "function" ? {} : { run }), ...(cwd && { cwd }), ...(env && { env }) };
    return this.#add(
      id,
      "command",
      options,
      { options: fixed as Json },
      typeof run === "function" ? { options: run } : {},
    );
  }

  sql(
    id: string,
    options: Options & { connection?: string; text: string; params?: Closure; row?: AnySchema },
  ): StepHandle {
    const { connection, text, params, row } = options;
    const fixed = { text, ...(connection === undefined ? {} : { connection }) };
    return this.#add(
      id,
      "sql",
      options,
      { options: fixed },
      { ...(params && { options: params }), ...(row && { schema: row }) },
    );
  }

  http(id: string, options: Options & { request: Closure; body?: AnySchema }): StepHandle {
    const { request, body } = options;
    return this.#add(id, "http", options, {}, { options: request, ...(body && { schema: body }) });
  }

  when(id: string, options: Options & { if: Closure }, then: BuildBody, otherwise?: BuildBody): StepHandle {
    const bodies = [then, otherwise].filter((build) => build !== undefined).map((build) => this.#body(id, build));
    return this.#add(id, "when", options, { bodies }, { open: options.if });
  }

  forEach(id: string, options: Options & { items: Closure; concurrency?: number }, body: BuildBody): StepHandle {
    const { items, concurrency } = options;
    const limit = concurrency === undefined ? {} : { concurrency };
    return this.#add(id, "forEach", options, { bodies: [this.#body(id, body)], ...limit }, { open: items });
  }

  repeat(
    id: string,
    options: Options & { max: number; delay?: Duration },
    body: BuildBody,
    until: Closure,
  ): StepHandle {
    const { max, delay } = options;
    const parts = { bodies: [this.#body(id, body)], max, ...(delay && { delay }) };
    return this.#add(id, "repeat", options, parts, { until });
  }

  waitForSignal(
    name: string,
    options: Options & { id?: string; schema?: AnySchema; onTimeout?: "fail" | "continue" } = {},
  ): StepHandle {
    const { id = name, schema, onTimeout } = options;
    return this.#add(id, "wait", options, { signal: name, ...(onTimeout && { onTimeout }) }, schema ? { schema } : {});
  }

  sleep(id: string, options: Options & ({ for: Duration } | { until: Closure })): StepHandle {
    if ("for" in options) return this.#add(id, "sleep", options, { for: options.for }, {});
    return this.#add(id, "sleep", options, {}, { open: options.until });
  }

  child(id: string, workflow: AnyWorkflow, options: Options & { input?: Closure } = {}): StepHandle {
    const { planId, planVersion } = compiledOf(workflow).plan;
    const closures = options.input === undefined ? {} : { open: options.input };
    return this.#add(id, "child", options, { child: { planId, planVersion } }, closures);
  }

  #body(containerId: string, build: BuildBody): DefinitionBody {
    const inner = new BodyBuilder(this.#root, `${this.#prefix}${containerId}/`);
    return bodyOf(inner, build(inner), this.#root);
  }

  #add(id: string, kind: string, options: Options, parts: Partial<DefinitionStep>, closures: Closures): StepHandle {
    const { needs = {}, after = [], timeout, retry, continueOnFailure } = options;
    const refs = Object.fromEntries(Object.entries(needs).map(([name, handle]) => [name, refOf(handle, this.#root)]));
    this.steps.push({
      id,
      kind,
      needs: refs,
      after: after.map((handle) => refOf(handle, this.#root)),
      ...(timeout && { timeout }),
      ...(retry && { retry }),
      ...(continueOnFailure && { continueOnFailure }),
      ...parts,
    });
    const path = this.#prefix + id;
    this.#root.closures.set(path, closures);
    return new StepHandle(id, path, this.#root);
  }
}

function refOf(handle: unknown, root: RootBuilder): StepRef {
  const { path, root: home } = handle as StepHandle;
  return home === root ? path : { workflow: home.workflowId, path };
}

function bodyOf(builder: BodyBuilder, output: unknown, root: RootBuilder): DefinitionBody {
  return output === undefined ? { steps: builder.steps } : { steps: builder.steps, output: refOf(output, root) };
}

/** A workflow: its header, and a function that lays out its steps. Throws a PlanError that says all that is wrong. */
export const workflow: DefineWorkflow = (id, header, build) => {
  const root: RootBuilder = { workflowId: id, closures: new Map() };
  const builder = new BodyBuilder(root, "");
  const body = bodyOf(builder, build(builder as never), root);
  const { version, deadline, approval, input, signals = {}, state } = header;
  const definition = {
    id,
    body,
    ...(version && { version }),
    ...(deadline && { deadline }),
    ...(approval && { approval }),
  };
  const plan = compilePlan(definition);
  const made = { id, version: plan.planVersion };
  attach(made, { plan, closures: root.closures, input, signals, initialState: state?.initial as Json | undefined });
  return made as never;
};
