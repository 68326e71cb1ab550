import type { DatasetUses } from "./datasets.js";
import type { Json } from "./json.js";
import type { Partitions } from "./partitions.js";

/**
 * A compiled workflow: data only, immutable per (planId, planVersion), identified by its hash (D7). Steps refer to each
 * other by *path*: the ids of the containers around a step and its own id, joined by `/`.
 */
export interface Plan {
  readonly planId: string;
  readonly planVersion: string;
  /** SHA-256 of the canonical JSON of everything else. */
  readonly hash: string;
  readonly body: PlanBody;
  /** `null` if runs have no deadline (D3). */
  readonly deadlineMs: number | null;
  /** `true` if the run waits for an `APPROVE` before it starts. */
  readonly approval: boolean;
  /** Absent if the workflow is not partitioned. */
  readonly partitions?: Partitions;
  /** When completed steps are compensated (D8). Defaults to `cancel`. Both include an expired deadline. */
  readonly compensateOn?: readonly CompensateOn[];
  /** Runs once before the run fails (D8). It can change neither the outcome nor the error. */
  readonly onFailure?: PlanStep;
}

/** The id of the step `onFailure` of a plan. */
export const ON_FAILURE = "onFailure";

export const compensateOnValues = ["cancel", "failure"] as const;
export type CompensateOn = (typeof compensateOnValues)[number];

/** The steps of a run, or of one pass of a container. */
export interface PlanBody {
  readonly steps: readonly PlanStep[];
  /** Path of the step that provides the body's output. `null` if the body has no output. */
  readonly output: string | null;
}

export interface RetryPolicy {
  /** Maximum number of attempts, including the first. */
  readonly attempts: number;
  readonly delayMs: number;
  readonly factor: number;
  readonly maxDelayMs: number;
  /** Error codes that are never retried. */
  readonly unless: readonly string[];
}

/** The step kinds that the engine implements. A runner of the same name runs any other kind. */
export const builtInKinds = ["when", "forEach", "repeat", "wait", "sleep", "child"] as const;
export type BuiltInKind = (typeof builtInKinds)[number];

export interface PlanStep {
  readonly id: string;
  /** A built-in kind, or the name of a runner: `function`, `command`, `sql`, `http`, or a custom one. */
  readonly kind: string;
  /** The outputs that the step reads: a local name for each, and the path of the step that provides it. */
  readonly needs: Readonly<Record<string, string>>;
  /** Paths of steps that must finish first although the step reads nothing from them. */
  readonly after: readonly string[];
  readonly retry?: RetryPolicy;
  readonly timeoutMs?: number;
  readonly continueOnFailure?: boolean;
  /** Dependents run even if the step fails. They read `{ ok: true, value }` or `{ ok: false, error }`. */
  readonly settle?: boolean;
  /** `true` if a step `compensate/<id>` can undo its effect (D8). */
  readonly compensate?: boolean;
  /** The runner that undoes it, and its options. Absent if a closure does. */
  readonly compensateWith?: { readonly kind: string; readonly options?: Json };
  /** The datasets that the step declares to read and write. */
  readonly datasets?: DatasetUses;
  /** Options for the runner, as data. */
  readonly options?: Json;
  /** For `when`: one body per branch (0 then, 1 otherwise). For `forEach` and `repeat`: one body. */
  readonly bodies?: readonly PlanBody[];
  /** For `forEach`, where it is always set: maximum number of open passes. */
  readonly concurrency?: number;
  /** For `repeat`. */
  readonly max?: number;
  readonly delayMs?: number;
  /** For `wait`. */
  readonly signal?: string;
  readonly onTimeout?: "fail" | "continue";
  /** For `sleep`. Absent if a closure returns the time to sleep until. */
  readonly forMs?: number;
  /** For `child`. */
  readonly child?: { readonly planId: string; readonly planVersion: string };
}
