import type { StepRow } from "@runledger/contracts";
import type { CompletedSteps } from "./completed-steps.js";

/**
 * Rows of an older version; `undefined` if the step did not exist. `null` if no step existed: nothing needs to be kept,
 * so folding a log from its start keeps nothing.
 */
type Undo = Map<string, StepRow | undefined> | null;

/**
 * The steps of a run by id: an immutable map whose newest version reads and writes in constant time, regardless of the
 * number of steps. All versions share one Map, which the newest one owns. An older version records what its successor
 * changed, and takes the Map back when it is read (Baker's rerooting).
 */
export class StepTable {
  static empty(): StepTable {
    return new StepTable(new Map());
  }

  /** `completed` are steps without a row (C1). */
  static of(rows: Iterable<StepRow>, completed: CompletedSteps | null = null): StepTable {
    const map = new Map<string, StepRow>();
    for (const row of rows) map.set(row.stepId, row);
    return new StepTable(map, completed);
  }

  /** `null` if a newer version owns the Map; `#newer` leads to it. */
  #map: Map<string, StepRow> | null;
  #newer: { readonly table: StepTable; readonly undo: Undo } | null = null;
  /**
   * Not `null` for a draft, which has not been shared yet: it is changed in place and keeps its predecessor's rows
   * here.
   */
  #draft: { readonly undo: Undo } | null = null;

  /** Equal in all versions. A row in the Map takes precedence. */
  readonly #completed: CompletedSteps | null;
  /** `true` if any version has had such a row. */
  readonly #outdated: { some: boolean };

  private constructor(map: Map<string, StepRow>, completed: CompletedSteps | null = null, outdated = { some: false }) {
    this.#map = map;
    this.#completed = completed;
    this.#outdated = outdated;
  }

  get(stepId: string): StepRow | undefined {
    return this.#own().get(stepId) ?? this.#completed?.get(stepId);
  }

  /** Returns the last consecutive pass from `index` on in which all these steps are known to have succeeded at once. */
  completedThrough(container: string, steps: readonly string[], index: number): number {
    return this.#completed === null || this.#outdated.some ? -1 : this.#completed.through(container, steps, index);
  }

  with(row: StepRow): StepTable {
    if (this.#draft !== null) return this.#change(row, this.#draft.undo);
    const next = this.draft().with(row);
    next.seal();
    return next;
  }

  /**
   * Creates a next version for many changes. Otherwise each change would create a version, and a reference to the first
   * one would keep them all alive.
   */
  draft(): StepTable {
    const map = this.#own();
    const next = new StepTable(map, this.#completed, this.#outdated);
    const undo: Undo = map.size === 0 ? null : new Map();
    next.#draft = { undo };
    this.#map = null;
    this.#newer = { table: next, undo };
    return next;
  }

  /** Ends a draft. It may then be shared and does not change any more. */
  seal(): void {
    this.#draft = null;
  }

  /** Returns rows in the order in which events first named the steps. */
  rows(): readonly StepRow[] {
    const map = this.#own();
    const compact =
      this.#completed === null ? [] : [...this.#completed.rows()].filter(({ stepId }) => !map.has(stepId));
    return [...compact, ...map.values()].sort((a, b) => a.ordinal - b.ordinal);
  }

  /** Returns the rows, and the ranges that stand for the other steps. */
  parts(): { readonly rows: readonly StepRow[]; readonly completed: CompletedSteps | null } {
    return { rows: [...this.#own().values()], completed: this.#completed };
  }

  #change(row: StepRow, undo: Undo): this {
    const map = this.#own();
    const known = map.get(row.stepId);
    if (undo !== null && !undo.has(row.stepId)) undo.set(row.stepId, known);
    if (known === undefined && this.#completed?.get(row.stepId) !== undefined) this.#outdated.some = true;
    map.set(row.stepId, row);
    return this;
  }

  #own(): Map<string, StepRow> {
    return this.#map ?? this.#reroot();
  }

  #reroot(): Map<string, StepRow> {
    const path: StepTable[] = [];
    let at: StepTable = this;
    while (at.#newer !== null) {
      path.push(at);
      at = at.#newer.table;
    }
    for (const older of path.reverse()) older.#takeBack();
    return this.#map!;
  }

  /** Takes the Map from the next version, which then leads here. */
  #takeBack(): void {
    const { table, undo } = this.#newer!;
    const map = table.#map!;
    const redo = new Map<string, StepRow | undefined>();
    for (const [stepId, row] of undo ?? [...map.keys()].map((id) => [id, undefined] as const)) {
      redo.set(stepId, map.get(stepId));
      if (row === undefined) map.delete(stepId);
      else map.set(stepId, row);
    }
    table.#map = null;
    table.#newer = { table: this, undo: redo };
    this.#map = map;
    this.#newer = null;
  }
}
