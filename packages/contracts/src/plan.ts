import type { Json } from "./json.js";

/**
 * A workflow in its compiled form: data only, immutable per (planId, planVersion) and identified by its hash (D7).
 * Steps refer to each other by *path*: the ids of the containers around a step and its own, joined by `/`.
 */
export interface Plan {
  readonly planId: string;
  readonly planVersion: string;
  /** SHA-256 of the canonical JSON of everything else. */
  readonly hash: string;
  readonly body: PlanBody;
  /** Null = none (D3). */
  readonly deadlineMs: number | null;
  /** The run waits for an `APPROVE` before it starts. */
  readonly approval: boolean;
}

/** The steps of a run, or of one pass through a container. */
export interface PlanBody {
  readonly steps: readonly PlanStep[];
  /** The path of the step whose output is the body's; null = it has none. */
  readonly output: string | null;
}

export interface RetryPolicy {
  /** How often it is tried in all. */
  readonly attempts: number;
  readonly delayMs: number;
  readonly factor: number;
  readonly maxDelayMs: number;
  /** Error codes after which it is not tried again. */
  readonly unless: readonly string[];
}

/** The kinds that the engine itself knows; any other is run by a runner of that name. */
export const builtInKinds = ["when", "forEach", "repeat", "wait", "sleep", "child"] as const;
export type BuiltInKind = (typeof builtInKinds)[number];

export interface PlanStep {
  readonly id: string;
  /** A built-in kind, or the name of a runner: `function`, `command`, `sql`, `http`, or a user's own. */
  readonly kind: string;
  /** What the step reads: a name of its own for each, and the path of who provides it. */
  readonly needs: Readonly<Record<string, string>>;
  /** Paths of steps that come first although nothing is read from them. */
  readonly after: readonly string[];
  readonly retry?: RetryPolicy;
  readonly timeoutMs?: number;
  readonly continueOnFailure?: boolean;
  /** Its effect can be taken back: a step `compensate/<id>` does so (D8). */
  readonly compensate?: boolean;
  /** What its runner is told, as data. */
  readonly options?: Json;
  /** Of `when` (taken branch: 0 then, 1 otherwise), `forEach` and `repeat` (one). */
  readonly bodies?: readonly PlanBody[];
  /** Of `forEach`, which always has one: passes that are open at a time. */
  readonly concurrency?: number;
  /** Of `repeat`. */
  readonly max?: number;
  readonly delayMs?: number;
  /** Of `wait`. */
  readonly signal?: string;
  readonly onTimeout?: "fail" | "continue";
  /** Of `sleep`; absent = until a time that a closure gives. */
  readonly forMs?: number;
  /** Of `child`. */
  readonly child?: { readonly planId: string; readonly planVersion: string };
}
