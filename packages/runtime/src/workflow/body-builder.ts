import { omitUndefined, ON_FAILURE, PlanError, type Json, type JsonObject } from "@runledger/contracts";
import type { DefinitionBody, DefinitionDatasets, DefinitionStep, Duration } from "@runledger/core";
import { compiledOf, type Closures } from "./compiled-workflow.js";
import { checkStepOptions } from "./known-options.js";
import type { AnySchema } from "./schema.js";
import { StepHandle, type Root } from "./step-handle.js";
import type { AnyWorkflow, Retry } from "./types.js";

/** Options as the builder receives them. The public types already enforce valid combinations. */
interface Options {
  readonly needs?: Readonly<Record<string, unknown>>;
  readonly after?: readonly unknown[];
  readonly timeout?: Duration;
  readonly retry?: Retry;
  readonly continueOnFailure?: boolean;
  readonly settle?: boolean;
  readonly datasets?: DefinitionDatasets;
}
type Closure = (ctx: never) => unknown;
export type BuildBody = (w: BodyBuilder) => unknown;

/** Collects the steps of one body. Its methods are the step kinds. */
export class BodyBuilder {
  readonly #steps: DefinitionStep[] = [];
  #onFailure: DefinitionStep | undefined;
  readonly #root: Root;
  readonly #prefix: string;
  #isBuilt = false;

  constructor(root: Root, prefix: string) {
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
    const closures = typeof run === "function" ? { options: run } : {};
    const fixed = omitUndefined({ run: typeof run === "function" ? undefined : run, cwd, env });
    return this.#add(id, "command", options, { options: fixed as Json }, closures);
  }

  sql(
    id: string,
    options: Options & { connection?: string; text: string; params?: Closure; row?: AnySchema },
  ): StepHandle {
    const { connection, text, params, row } = options;
    const fixed = omitUndefined({ text, connection });
    return this.#add(id, "sql", options, { options: fixed }, omitUndefined({ options: params, schema: row }));
  }

  http(id: string, options: Options & { request: Closure; body?: AnySchema }): StepHandle {
    const { request, body } = options;
    return this.#add(id, "http", options, {}, omitUndefined({ options: request, schema: body }));
  }

  task(id: string, options: Options & { kind: string; with?: JsonObject | Closure }): StepHandle {
    const { kind, with: told } = options;
    this.#root.kinds.add(kind);
    if (typeof told === "function") return this.#add(id, kind, options, {}, { options: told });
    return this.#add(id, kind, options, omitUndefined({ options: told }), {});
  }

  when(id: string, options: Options & { if: Closure }, then: BuildBody, otherwise?: BuildBody): StepHandle {
    const builds = otherwise === undefined ? [then] : [then, otherwise];
    const bodies = builds.map((build) => this.#body(id, build));
    return this.#add(id, "when", options, { bodies }, { open: options.if });
  }

  forEach(id: string, options: Options & { items: Closure; concurrency?: number }, build: BuildBody): StepHandle {
    const { items, concurrency } = options;
    const bodies = [this.#body(id, build)];
    return this.#add(id, "forEach", options, { bodies, ...omitUndefined({ concurrency }) }, { open: items });
  }

  repeat(
    id: string,
    options: Options & { max: number; delay?: Duration },
    build: BuildBody,
    until: Closure,
  ): StepHandle {
    const { max, delay } = options;
    const bodies = [this.#body(id, build)];
    return this.#add(id, "repeat", options, { bodies, max, ...omitUndefined({ delay }) }, { until });
  }

  waitForSignal(
    name: string,
    options: Options & { id?: string; schema?: AnySchema; onTimeout?: "fail" | "continue" } = {},
  ): StepHandle {
    const { id = name, schema, onTimeout } = options;
    return this.#add(id, "wait", options, { signal: name, ...omitUndefined({ onTimeout }) }, omitUndefined({ schema }));
  }

  sleep(id: string, options: Options & ({ for: Duration } | { until: Closure })): StepHandle {
    if ("for" in options) return this.#add(id, "sleep", options, { for: options.for }, {});
    return this.#add(id, "sleep", options, {}, { open: options.until });
  }

  child(id: string, workflow: AnyWorkflow, options: Options & { input?: Closure } = {}): StepHandle {
    const { planId, planVersion } = compiledOf(workflow).plan;
    return this.#add(id, "child", options, { child: { planId, planVersion } }, omitUndefined({ open: options.input }));
  }

  /** Only the type of a workflow's own builder has this method. */
  onFailure(...rest: [Closure] | [Pick<Options, "retry" | "timeout">, Closure]): void {
    if (this.#isBuilt) throw tooLate(this.#root.workflowId, ON_FAILURE);
    const [options, run] = rest.length === 1 ? [{}, rest[0]] : rest;
    this.#onFailure = { id: ON_FAILURE, kind: "function", ...omitUndefined(options) };
    this.#root.closures.set(ON_FAILURE, { run });
  }

  /** The step that runs before the run fails. */
  get failureHandler(): DefinitionStep | undefined {
    return this.#onFailure;
  }

  /** Returns the collected steps and the step that is the body's output. */
  body(output: unknown): DefinitionBody {
    this.#isBuilt = true;
    const steps = this.#steps;
    return output === undefined ? { steps } : { steps, output: StepHandle.refOf(output, this.#root) };
  }

  #body(containerId: string, build: BuildBody): DefinitionBody {
    const inner = new BodyBuilder(this.#root, `${this.#prefix}${containerId}/`);
    return inner.body(build(inner));
  }

  #add(id: string, kind: string, options: Options, parts: Partial<DefinitionStep>, closures: Closures): StepHandle {
    if (this.#isBuilt) throw tooLate(this.#root.workflowId, this.#prefix + id);
    checkStepOptions(this.#root.workflowId, this.#prefix + id, kind, options);
    const { needs = {}, after = [], timeout, retry, continueOnFailure, settle, datasets } = options;
    const root = this.#root;
    const refs = Object.entries(needs).map(([name, handle]) => [name, StepHandle.refOf(handle, root)] as const);
    this.#steps.push({
      id,
      kind,
      needs: Object.fromEntries(refs),
      after: after.map((handle) => StepHandle.refOf(handle, root)),
      ...omitUndefined({ timeout, retry, continueOnFailure, settle, datasets }),
      ...parts,
    });
    const path = this.#prefix + id;
    root.closures.set(path, closures);
    return new StepHandle(id, path, root);
  }
}

/** Without this error, the step would silently never run. */
function tooLate(workflowId: string, step: string): PlanError {
  const message =
    "The workflow is already built, so this step would never run. Add steps in the function that defines the workflow or a " +
    "container, not inside a step and not after an await.";
  return new PlanError(workflowId, [{ code: "PLAN_NEVER_RUNS", step, message }]);
}
