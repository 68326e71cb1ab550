import type { Broken } from "../invariants/judge.js";
import type { When } from "../replay/kill-everywhere.js";

/** The report of one seed: its size, faults and violations. */
export interface SeedReport {
  readonly seed: number;
  readonly events: number;
  /** Kinds of steps that started. */
  readonly kinds: readonly string[];
  /** Hits per fault and point. */
  readonly hits: readonly (readonly [name: string, count: number])[];
  readonly broken: readonly Broken[];
}

/** The result for a planted bug; `null` if no seed found it. */
export interface BugReport {
  readonly bug: string;
  readonly found: { readonly seed: number; readonly broken: Broken } | null;
}

/** Every `step`-th seed. */
export interface Share {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

/** A request to a seed process. */
export type Task =
  | ({ readonly type: "seeds" } & Share)
  | ({ readonly type: "kills"; readonly when: When } & Share)
  | { readonly type: "bugs"; readonly names: readonly string[]; readonly to: number };
