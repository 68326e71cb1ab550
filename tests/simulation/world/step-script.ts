import { random, seedOf, type Random } from "./random.js";

/** The scripted outcome of one attempt. */
export interface Behaviour {
  readonly durationMs: number;
  /** `hang` waits until it is aborted. */
  readonly end: "ok" | "fail" | "fatal" | "hang";
}

/**
 * Scripts the functions of a generated plan: random, but the same on every call and worker. So a disturbed run must finish
 * like an undisturbed one.
 */
export class StepScript {
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  attempt(runId: string, stepId: string, attempt: number, hasTimeout: boolean): Behaviour {
    const draw = this.#about(runId, stepId, attempt);
    const durationMs = draw.chance(0.03) ? draw.between(1000, 4000) : draw.between(1, 120);
    const luck = draw.draw();
    if (luck < 0.08) return { durationMs, end: "fail" };
    if (luck < 0.1) return { durationMs, end: "fatal" };
    return { durationMs, end: luck < 0.2 && hasTimeout ? "hang" : "ok" };
  }

  /** `true` if the compensation of a step succeeds. */
  undoes(stepId: string): boolean {
    return this.#about("undo", stepId, 1).chance(0.9);
  }

  branch(path: string, pass: number): boolean {
    return this.#about("branch", path, pass).chance(0.6);
  }

  items(path: string, pass: number): number {
    return this.#about("items", path, pass).below(5);
  }

  passes(path: string, most: number): number {
    return this.#about("passes", path, 1).between(1, most);
  }

  napMs(path: string, pass: number): number {
    return this.#about("nap", path, pass).between(50, 3000);
  }

  #about(what: string, name: string, count: number): Random {
    return random(seedOf(`${this.#seed} ${what} ${name} ${count}`));
  }
}
