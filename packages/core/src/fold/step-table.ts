import type { StepRow } from "@runledger/contracts";
import type { CompletedSteps } from "./completed-steps.js";

/**
 * Rows as they were in an older version; undefined = the step was not there. Null = no step was: nothing need be kept,
 * and folding a log from its beginning keeps nothing.
 */
type Undo = Map<string, StepRow | undefined> | null;

/**
 * The steps of a run by id: an immutable map whose newest version reads and writes in constant time, however many
 * steps there are. All versions share one Map. The newest owns it; an older one remembers what its successor changed,
 * and takes the Map back when it is read (Baker's rerooting).
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

  /** Null = a newer version owns the Map, and `newer` leads to it. */
  #map: Map<string, StepRow> | null;
  #newer: { readonly table: StepTable; readonly undo: Undo } | null = null;
  /** Not null = a draft, which nobody has seen yet: it is changed in place, and its predecessor's rows are kept here. */
  #draft: { readonly undo: Undo } | null = null;

  /** The same in all versions; a row of the Map goes before it. */
  readonly #completed: CompletedSteps | null;
  /** Whether there has been such a row, in any version. */
  readonly #outdated: { some: boolean };

  private constructor(map: Map<string, StepRow>, completed: CompletedSteps | null = null, outdated = { some: false }) {
    this.#map = map;
    this.#completed = completed;
    this.#outdated = outdated;
  }

  get(stepId: string): StepRow | undefined {
    return this.#own().get(stepId) ?? this.#completed?.get(stepId);
  }

  /** The last pass of the stretch from `index` on in which all these steps are known to have succeeded, and nothing else. */
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
   * A next version for many changes. Without it each change would make a version of its own, and whoever still holds
   * the first one would hold them all.
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

  /** A draft that others may see: from here on it does not change. */
  seal(): void {
    this.#draft = null;
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

  /** From the version right after this one, which then leads here. */
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
