import type { Command } from "./commands.js";
import { pathOf } from "./instance-ids.js";

/**
 * Tracks the open passes of a container. A pass below `next` that is not open is done. A repeat has one open pass at a
 * time.
 */
export class Passes {
  next = 0;
  /** By index: the commands of an open pass from its last walk. */
  readonly open = new Map<number, readonly Command[]>();
  /** Open passes in which something happened since their last walk. `null` if any of them may have changed. */
  #touched: Set<number> | null = null;
  #culprit: { readonly index: number; readonly stepId: string } | null = null;

  /** The step that made the earliest failed pass fail. */
  get culprit(): string | null {
    return this.#culprit?.stepId ?? null;
  }

  isTouched(index: number): boolean {
    return this.#touched?.has(index) ?? true;
  }

  /**
   * An event in a pass that was done can change its result, as an operator's skip does. All passes are then walked
   * again.
   */
  touch(index: number): void {
    if (index < this.next && !this.open.has(index)) this.#startAnew();
    else this.#touched?.add(index);
  }

  touchAll(): void {
    this.#touched = null;
  }

  /** Marks every open pass as walked. */
  settle(): void {
    this.#touched = new Set();
  }

  ended(index: number, culprit: string | null): void {
    this.open.delete(index);
    if (culprit === null || (this.#culprit !== null && this.#culprit.index < index)) return;
    this.#culprit = { index, stepId: culprit };
  }

  #startAnew(): void {
    this.next = 0;
    this.open.clear();
    this.#touched = null;
    this.#culprit = null;
  }
}

/** The state that a decider keeps between walks. A walk without it looks at every pass. */
export class PassMemory {
  readonly #byContainer = new Map<string, Passes>();

  of(containerId: string): Passes {
    const known = this.#byContainer.get(containerId);
    if (known !== undefined) return known;
    const passes = new Passes();
    this.#byContainer.set(containerId, passes);
    return passes;
  }

  /** A finished container is not walked again unless it is reset. */
  forget(containerId: string): void {
    this.#byContainer.delete(containerId);
  }

  /** An event changed a step: the passes around it are walked again. */
  touch(stepId: string): void {
    const names = stepId.split("/");
    for (let place = 0; place + 2 < names.length; place += 2) {
      this.#byContainer.get(names.slice(0, place + 1).join("/"))?.touch(Number(names[place + 1]));
    }
  }

  /** An event changed a step for which steps inside the containers at this path wait. */
  touchContainers(path: string, stepId: string): void {
    const prefix = stepId.slice(0, stepId.lastIndexOf("/") + 1);
    for (const [containerId, passes] of this.#byContainer) {
      if (containerId.startsWith(prefix) && pathOf(containerId) === path) passes.touchAll();
    }
  }

  /** An event may affect any pass. */
  touchAll(): void {
    for (const passes of this.#byContainer.values()) passes.touchAll();
  }
}
