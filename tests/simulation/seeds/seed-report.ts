import type { Broken } from "../invariants/judge.js";

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

/** What a process is asked to do. */
export type Task =
  | { readonly type: "seeds"; readonly from: number; readonly to: number; readonly step: number }
  | { readonly type: "bug"; readonly name: string; readonly to: number };
