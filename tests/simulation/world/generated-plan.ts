/** Generates random plans: all kinds of steps, nested, with valid options. */
import { compilePlan, type Definition, type DefinitionBody, type DefinitionStep } from "@runledger/core";
import { attach, type Closures, type CompiledWorkflow } from "@runledger/runtime/workflow/compiled-workflow";
import type { AnyWorkflow } from "@runledger/runtime/workflow/types";
import { random, type Random } from "./random.js";
import { StepScript } from "./step-script.js";

export interface GeneratedPlan {
  readonly workflow: AnyWorkflow;
  readonly compiled: CompiledWorkflow;
  readonly script: StepScript;
  /** Maximum number of signals per name that its waits can take on any branch. */
  readonly signals: ReadonlyMap<string, number>;
  /** Approximate number of steps per run. */
  readonly weight: number;
}

export interface GenerateOptions {
  /** Milliseconds since 1970, for closures that return a time. */
  readonly now: () => number;
  /** `false` to exclude steps whose outcome depends on timing. */
  readonly races?: boolean;
  /** `false` if no signals are sent: the plan then needs no approval and has no wait without a timeout. */
  readonly attended?: boolean;
  readonly child?: GeneratedPlan;
  readonly id?: string;
  /** Number of top-level steps. */
  readonly size?: number;
}

const SIGNALS = ["go", "more"];
const RUNNERS = ["function", "function", "function", "function", "command", "sql", "http"];
const MOST_ITEMS = 4;
const MOST_PASSES = 3;

export function generatePlan(seed: number, options: GenerateOptions): GeneratedPlan {
  const script = new StepScript(seed);
  const builder = new PlanBuilder(random(seed), script, options);
  const definition = builder.definition();
  const plan = compilePlan(definition);
  const compiled = { plan, closures: builder.closures, input: undefined, signals: {}, initialState: { counts: {} } };
  const workflow = { id: plan.planId, version: plan.planVersion } as unknown as AnyWorkflow;
  attach(workflow, compiled);
  const weight = weightOf(definition.body, options.child?.weight ?? 0);
  return { workflow, compiled, script, signals: builder.signals, weight };
}

/** Expected runs of a body: half for a branch, two for a forEach or repeat. */
function weightOf({ steps }: DefinitionBody, child: number): number {
  return steps.reduce((sum, { kind, bodies = [] }) => {
    const inside = bodies.reduce((total, body) => total + weightOf(body, child), 0);
    const times = kind === "when" ? 0.5 : 2;
    return sum + 1 + times * inside + (kind === "child" ? child : 0);
  }, 0);
}

type Ctx = { readonly index?: number; readonly iteration?: number };

class PlanBuilder {
  readonly closures = new Map<string, Closures>();
  readonly signals = new Map<string, number>();
  readonly #draw: Random;
  readonly #script: StepScript;
  readonly #options: Required<Omit<GenerateOptions, "child">> & Pick<GenerateOptions, "child">;

  constructor(draw: Random, script: StepScript, options: GenerateOptions) {
    this.#draw = draw;
    this.#script = script;
    const { races = true, attended = true, id = "plan", size = draw.between(8, 11) } = options;
    this.#options = { ...options, races, attended, id, size };
  }

  definition(): Definition {
    const { races, attended, id, size } = this.#options;
    const body = this.#body("", size, 1);
    const deadline = races && this.#draw.chance(0.1) ? ({ deadline: `${this.#draw.between(3, 20)}s` } as const) : {};
    const approval = attended && this.#draw.chance(0.1) ? { approval: true } : {};
    return { id, version: "1", body, ...deadline, ...approval };
  }

  /** @param times How often the body may run. */
  #body(prefix: string, size: number, times: number, letter = "s"): DefinitionBody {
    const steps: DefinitionStep[] = [];
    for (let count = 0; count < size; count++) steps.push(this.#step(prefix, `${letter}${count}`, steps, times));
    const output = this.#draw.chance(0.7) ? { output: prefix + this.#draw.pick(steps).id } : {};
    return { steps, ...output };
  }

  #step(prefix: string, id: string, before: readonly DefinitionStep[], times: number): DefinitionStep {
    const path = prefix + id;
    const depth = path.split("/").length;
    const base = { id, ...this.#dependencies(prefix, before) };
    const kind = this.#kind(depth);
    switch (kind) {
      case "when":
        return { ...base, ...this.#when(path, times) };
      case "forEach":
        return { ...base, ...this.#forEach(path, times) };
      case "repeat":
        return { ...base, ...this.#repeat(path, times) };
      case "wait":
        return { ...base, ...this.#wait(times) };
      case "sleep":
        return { ...base, ...this.#sleep(path) };
      case "child":
        return { ...base, ...this.#child() };
      default:
        return { ...base, ...this.#runner(path, kind) };
    }
  }

  #kind(depth: number): string {
    const luck = this.#draw.draw();
    if (luck < 0.3 && depth < 3) return this.#draw.pick(["when", "forEach", "forEach", "repeat"]);
    if (luck < 0.4) return "wait";
    if (luck < 0.47) return "sleep";
    if (luck < 0.55 && this.#options.child !== undefined && depth < 3) return "child";
    return this.#draw.pick(RUNNERS);
  }

  #dependencies(prefix: string, before: readonly DefinitionStep[]): Partial<DefinitionStep> {
    const chosen = before.filter(() => this.#draw.chance(0.3)).map((step) => prefix + step.id);
    const needs = chosen.filter(() => this.#draw.chance(0.6));
    return {
      needs: Object.fromEntries(needs.map((path, place) => [`n${place}`, path])),
      after: chosen.filter((path) => !needs.includes(path)),
    };
  }

  #runner(path: string, kind: string): Partial<DefinitionStep> & Pick<DefinitionStep, "kind"> {
    const draw = this.#draw;
    const compensate = draw.chance(0.3);
    const undo = async ({ stepId }: { readonly stepId: string }): Promise<void> => {
      if (!this.#script.undoes(stepId)) throw new Error(`${stepId} could not be undone`);
    };
    this.closures.set(path, compensate ? { compensate: undo } : {});
    return {
      kind,
      ...(compensate ? { compensate } : {}),
      ...(draw.chance(0.6) ? { retry: { attempts: draw.between(2, 4), delay: "40ms", unless: ["FATAL"] } } : {}),
      ...(draw.chance(0.4) ? { timeout: `${draw.between(4500, 6000)}ms` as const } : {}),
      ...(draw.chance(0.25) ? { continueOnFailure: true } : {}),
    };
  }

  #when(path: string, times: number): Partial<DefinitionStep> & Pick<DefinitionStep, "kind"> {
    this.closures.set(path, { open: (ctx: Ctx) => this.#script.branch(path, passOf(ctx)) });
    const letters = this.#draw.chance(0.7) ? ["s", "t"] : ["s"];
    const bodies = letters.map((letter) => this.#body(`${path}/`, this.#draw.between(1, 2), times, letter));
    return { kind: "when", bodies, ...this.#limit() };
  }

  #forEach(path: string, times: number): Partial<DefinitionStep> & Pick<DefinitionStep, "kind"> {
    const open = (ctx: Ctx) => Array.from({ length: this.#script.items(path, passOf(ctx)) }, (_, item) => ({ item }));
    this.closures.set(path, { open });
    const bodies = [this.#body(`${path}/`, this.#draw.between(1, 3), times * MOST_ITEMS)];
    const places = this.#draw.chance(0.7) ? { concurrency: this.#draw.between(1, 3) } : {};
    return { kind: "forEach", bodies, ...places, ...this.#limit() };
  }

  #repeat(path: string, times: number): Partial<DefinitionStep> & Pick<DefinitionStep, "kind"> {
    const passes = this.#script.passes(path, MOST_PASSES);
    this.closures.set(path, { until: ({ iteration = 0 }: Ctx) => iteration + 1 >= passes });
    const max = this.#draw.chance(0.9) ? MOST_PASSES : 1;
    const bodies = [this.#body(`${path}/`, this.#draw.between(1, 2), times * MOST_PASSES)];
    const delay = this.#draw.chance(0.5) ? { delay: "100ms" as const } : {};
    return { kind: "repeat", bodies, max, ...delay, ...this.#limit() };
  }

  #wait(times: number): Partial<DefinitionStep> & Pick<DefinitionStep, "kind"> {
    const { races, attended } = this.#options;
    const signal = this.#draw.pick(SIGNALS);
    this.signals.set(signal, (this.signals.get(signal) ?? 0) + times);
    if (attended && (!races || this.#draw.chance(0.6))) return { kind: "wait", signal };
    const onTimeout = this.#draw.pick(["fail", "continue"] as const);
    return { kind: "wait", signal, onTimeout, timeout: `${this.#draw.between(200, 8000)}ms` };
  }

  #sleep(path: string): Partial<DefinitionStep> & Pick<DefinitionStep, "kind"> {
    if (this.#draw.chance(0.5)) return { kind: "sleep", for: `${this.#draw.between(50, 4000)}ms` };
    const open = (ctx: Ctx) => new Date(this.#options.now() + this.#script.napMs(path, passOf(ctx))).toISOString();
    this.closures.set(path, { open });
    return { kind: "sleep" };
  }

  #child(): Partial<DefinitionStep> & Pick<DefinitionStep, "kind"> {
    const { planId, planVersion } = this.#options.child!.compiled.plan;
    const retry = this.#draw.chance(0.3) ? { retry: { attempts: 2, delay: "50ms" as const } } : {};
    const fate = this.#draw.chance(0.3) ? { continueOnFailure: true } : {};
    return { kind: "child", child: { planId, planVersion }, ...retry, ...fate, ...this.#limit() };
  }

  /** Sets a timeout on a container; its steps are aborted when it expires. */
  #limit(): Partial<DefinitionStep> {
    return this.#options.races && this.#draw.chance(0.12)
      ? { timeout: `${this.#draw.between(300, 9000)}ms` as const }
      : {};
  }
}

/** The passes of the enclosing containers in which a closure runs. */
function passOf({ index = 0, iteration = 0 }: Ctx): number {
  return 10 * index + iteration;
}
