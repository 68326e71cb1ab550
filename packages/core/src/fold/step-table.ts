import type { StepRow } from "@runledger/contracts";

/**
 * The steps of a run by id: an immutable map whose newest version reads and writes in constant time, however many
 * steps there are. All versions share one Map. The newest owns it; an older one remembers only what its successor
 * changed, and moves the Map back when it is read (Baker's rerooting). Versions that nobody holds cost nothing.
 */
export class StepTable {
  static empty(): StepTable {
    return new StepTable(new Map());
  }

  static of(rows: Iterable<StepRow>): StepTable {
    const map = new Map<string, StepRow>();
    for (const row of rows) map.set(row.stepId, row);
    return new StepTable(map);
  }

  /** Null = a newer version owns the Map, and `change` leads to it. */
  #map: Map<string, StepRow> | null;
  #change: { readonly to: StepTable; readonly stepId: string; readonly row: StepRow | undefined } | null = null;

  private constructor(map: Map<string, StepRow>) {
    this.#map = map;
  }

  get(stepId: string): StepRow | undefined {
    return this.#own().get(stepId);
  }

  with(row: StepRow): StepTable {
    const map = this.#own();
    const previous = map.get(row.stepId);
    map.set(row.stepId, row);
    const next = new StepTable(map);
    this.#map = null;
    this.#change = { to: next, stepId: row.stepId, row: previous };
    return next;
  }

  /** In the order in which the steps were first named. */
  rows(): readonly StepRow[] {
    return [...this.#own().values()].sort((a, b) => a.ordinal - b.ordinal);
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
