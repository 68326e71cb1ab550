import type { Broken } from "../invariants/judge.js";
import type { When } from "../replay/kill-everywhere.js";

/** What one seed was, and what it broke. */
export interface SeedReport {
  readonly seed: number;
  readonly events: number;
  /** Kinds of steps that began. */
  readonly kinds: readonly string[];
  /** How often each fault hit each point. */
  readonly hits: readonly (readonly [name: string, count: number])[];
  readonly broken: readonly Broken[];
}

/** What became of a planted bug; null = no seed found it. */
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

/** What a process is asked to do. */
export type Task =
  | ({ readonly type: "seeds" } & Share)
  | ({ readonly type: "kills"; readonly when: When } & Share)
  | { readonly type: "bugs"; readonly names: readonly string[]; readonly to: number };
