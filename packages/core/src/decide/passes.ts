import type { Command } from "./commands.js";
import { pathOf } from "./instance-ids.js";

/** Which passes through a container are open: what is below `next` and not open is done. A repeat has one at a time. */
export class Passes {
  next = 0;
  /** By index: what was to be so in an open pass when it was last looked at. */
  readonly open = new Map<number, readonly Command[]>();
  /** Open passes in which something happened since they were last looked at; null = any of them. */
  #touched: Set<number> | null = null;
  #culprit: { readonly index: number; readonly stepId: string } | null = null;

  /** The step because of which the earliest failed pass failed. */
  get culprit(): string | null {
    return this.#culprit?.stepId ?? null;
  }

  isTouched(index: number): boolean {
    return this.#touched?.has(index) ?? true;
  }

  /** What happens in a pass that was done changes how it ended, as an operator's skip does: all are looked at again. */
  touch(index: number): void {
    if (index < this.next && !this.open.has(index)) this.#startAnew();
    else this.#touched?.add(index);
  }

  touchAll(): void {
    this.#touched = null;
  }

  /** Every open pass that was touched has been looked at. */
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

/** What a decider remembers between walks; a walk without it looks at everything. */
export class PassMemory {
  readonly #byContainer = new Map<string, Passes>();

  of(containerId: string): Passes {
    const known = this.#byContainer.get(containerId);
    if (known !== undefined) return known;
    const passes = new Passes();
    this.#byContainer.set(containerId, passes);
    return passes;
  }

  /** A container that has ended is not walked again, unless it is reset. */
  forget(containerId: string): void {
    this.#byContainer.delete(containerId);
  }

  /** Something happened to a step: the passes around it are looked at again. */
  touch(stepId: string): void {
    const names = stepId.split("/");
    for (let place = 0; place + 2 < names.length; place += 2) {
      this.#byContainer.get(names.slice(0, place + 1).join("/"))?.touch(Number(names[place + 1]));
    }
  }

  /** Something happened to a step for which steps wait in the containers at this path, beside it or further in. */
  touchContainers(path: string, stepId: string): void {
    const prefix = stepId.slice(0, stepId.lastIndexOf("/") + 1);
    for (const [containerId, passes] of this.#byContainer) {
      if (containerId.startsWith(prefix) && pathOf(containerId) === path) passes.touchAll();
    }
  }

  /** Something happened that may concern any pass. */
  touchAll(): void {
    for (const passes of this.#byContainer.values()) passes.touchAll();
  }
}
