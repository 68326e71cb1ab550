import { random, seedOf, type Random } from "./random.js";

/** What one attempt of a step does. */
export interface Behaviour {
  readonly durationMs: number;
  /** `hang`: until it is aborted. */
  readonly end: "ok" | "fail" | "fatal" | "hang";
}

/**
 * What the functions of a generated plan do: chosen by chance, and the same whenever they are asked again, by whichever
 * worker. So a run that was disturbed must end as one that was not.
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

  /** Whether undoing a step works. */
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
