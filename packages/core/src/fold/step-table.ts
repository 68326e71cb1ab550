import type { StepRow } from "@runledger/contracts";
import type { CompletedSteps } from "./completed-steps.js";

/**
 * The steps of a run by id: an immutable map whose newest version reads and writes in constant time, however many
 * steps there are. All versions share one Map. The newest owns it; an older one remembers only what its successor
 * changed, and moves the Map back when it is read (Baker's rerooting). Versions that nobody holds cost nothing.
 */
export class StepTable {
  static empty(): StepTable {
    return new StepTable(new Map());
  }

  /** `completed` are steps that are not worth a row of their own (C1). */
  static of(rows: Iterable<StepRow>, completed: CompletedSteps | null = null): StepTable {
    const map = new Map<string, StepRow>();
    for (const row of rows) map.set(row.stepId, row);
    return new StepTable(map, completed);
  }

  /** Null = a newer version owns the Map, and `change` leads to it. */
  #map: Map<string, StepRow> | null;
  #change: { readonly to: StepTable; readonly stepId: string; readonly row: StepRow | undefined } | null = null;

  /** The same in all versions; a row of the Map goes before it. */
  readonly #completed: CompletedSteps | null;

  private constructor(map: Map<string, StepRow>, completed: CompletedSteps | null = null) {
    this.#map = map;
    this.#completed = completed;
  }

  get(stepId: string): StepRow | undefined {
    return this.#own().get(stepId) ?? this.#completed?.get(stepId);
  }

  with(row: StepRow): StepTable {
    const map = this.#own();
    const previous = map.get(row.stepId);
    map.set(row.stepId, row);
    const next = new StepTable(map, this.#completed);
    this.#map = null;
    this.#change = { to: next, stepId: row.stepId, row: previous };
    return next;
  }

  /** In the order in which the steps were first named. */
  rows(): readonly StepRow[] {
    const map = this.#own();
    const compact =
      this.#completed === null ? [] : [...this.#completed.rows()].filter(({ stepId }) => !map.has(stepId));
    return [...compact, ...map.values()].sort((a, b) => a.ordinal - b.ordinal);
  }

  /** Rows of their own, and what stands for the rest. */
  parts(): { readonly rows: readonly StepRow[]; readonly completed: CompletedSteps | null } {
    return { rows: [...this.#own().values()], completed: this.#completed };
  }

  #own(): Map<string, StepRow> {
    return this.#map ?? this.#reroot();
  }

  #reroot(): Map<string, StepRow> {
    const path: StepTable[] = [];
    let at: StepTable = this;
    while (at.#change !== null) {
      path.push(at);
      at = at.#change.to;
    }
    for (const older of path.reverse()) older.#takeFromNewer();
    return this.#map!;
  }

  #takeFromNewer(): void {
    const { to, stepId, row } = this.#change!;
    const map = to.#map!;
    const theirs = map.get(stepId)!;
    if (row === undefined) map.delete(stepId);
    else map.set(stepId, row);
    to.#map = null;
    to.#change = { to: this, stepId, row: theirs };
    this.#map = map;
    this.#change = null;
  }
}
