/** The messages between the run page and the model of the run. A view contains only the rows on the screen. */
import type { Plan, RunHeader } from "@runledger/contracts";
import type { Problem } from "@runledger/client";
import type { AttemptSpan } from "./attempts.js";
import type { TimeScale } from "./time-scale.js";

export type ViewStatus =
  "NOT_STARTED" | "PENDING" | "RUNNING" | "WAITING" | "RETRYING" | "SUCCESS" | "FAILED" | "SKIPPED" | "CANCELLED";

export interface ViewQuery {
  /** `null` for the latest state. */
  readonly seq: number | null;
  /** Ids of open containers. */
  readonly open: readonly string[];
  /** Text that step ids must contain. */
  readonly find: string;
  /** Milliseconds since the run was created. `null` for the whole run. */
  readonly zoom: { readonly from: number; readonly to: number } | null;
  /** Statuses of the rows to return. Empty for all. */
  readonly statuses: readonly ViewStatus[];
  readonly from: number;
  readonly to: number;
  /** The selected step. `null` if none is. */
  readonly step: string | null;
  /** Paths of steps that are open in the graph. `null` opens steps with inner steps unless there are many. */
  readonly frames: readonly string[] | null;
}

/** Number of steps of a container by state. */
export type Tally = Readonly<Record<"done" | "failed" | "running" | "waiting" | "skipped", number>>;

export interface ViewRow {
  readonly stepId: string;
  readonly label: string;
  readonly depth: number;
  readonly kind: string;
  readonly status: ViewStatus;
  readonly attempts: readonly AttemptSpan[];
  /** When the step became ready. `null` if it started immediately. */
  readonly readyAt: number | null;
  readonly attempt: string | null;
  readonly takeOvers: number;
  readonly error: string | null;
  /** The signal that the step waits for, and the time when it stops waiting. */
  readonly signal: string | null;
  readonly until: string | null;
  readonly childRunId: string | null;
  readonly reason: string | null;
  readonly container: ContainerView | null;
}

export interface ContainerView {
  readonly isOpen: boolean;
  /** `false` if the container has too many steps to list. */
  readonly canOpen: boolean;
  /** The steps that have been recorded so far. */
  readonly tally: Tally;
  /** The number of items or passes. `null` if it is not known yet. */
  readonly count: number | null;
  /** For a closed container: the number of running and failed steps in each slice of time. */
  readonly density: readonly { readonly active: number; readonly failed: number }[];
}

/** The state of a step of the plan. In a container it stands for many steps of the run. */
export interface PathView {
  readonly status: ViewStatus;
  readonly tally: Tally;
  /** For a container: the number of failed steps inside it. */
  readonly failedInside: number;
  /** The step to open: a failed one if there is one, else a running one. */
  readonly example: string;
}

/** A step that a runner has recorded inside its step, such as a node of a dbt project (D11). */
export interface InnerView extends PathView {
  readonly stepId: string;
  readonly label: string;
  readonly kind: string;
  /** Ids of the inner steps that it depends on. */
  readonly after: readonly string[];
  /** `null` if it has not finished. */
  readonly durationMs: number | null;
}

/** An event of the run as a whole, marked on the time axis. */
export interface Landmark {
  readonly at: number;
  readonly seq: number;
  readonly type: string;
  readonly note: string;
}

export interface RunView {
  readonly header: RunHeader;
  /** `approval` if the run waits for approval before it starts. */
  readonly waitsFor: "approval" | undefined;
  readonly headSeq: number;
  /** Why the run is shown incompletely: its log has lost events (F6). `null` if nothing is missing. */
  readonly damage: string | null;
  /** The event that is shown. The view is live if it equals `headSeq`. */
  readonly seq: number;
  /** The event at `seq`. `null` if it is not loaded. */
  readonly at: { readonly time: string; readonly type: string; readonly stepId: string | null } | null;
  readonly rowCount: number;
  readonly from: number;
  readonly rows: readonly ViewRow[];
  /** The place of the selected step among all rows. `null` if it has none. */
  readonly selectedRow: number | null;
  /** The visible time range, and in `now` the time that is shown. */
  readonly time: TimeScale & { readonly now: number };
  /** The time since the start in which no step worked. `null` until all events are loaded, and for a long run. */
  readonly idleMs: number | null;
  /** The time range of the whole run. */
  readonly whole: { readonly from: number; readonly to: number };
  readonly landmarks: readonly Landmark[];
  /** Steps of the plan by path. */
  readonly paths: Readonly<Record<string, PathView>>;
  /** Ids of steps with inner steps. */
  readonly containers: readonly string[];
  /** Inner steps of the selected step, and of steps that are open in the graph, by their id. */
  readonly inner: Readonly<Record<string, readonly InnerView[]>>;
  /**
   * `whole`: all events are loaded or will be. Otherwise the run is too long, and past states are loaded on demand: with
   * `steps` a state has all steps, with `outline` it has only counts for the steps inside containers.
   */
  readonly extent: "whole" | "steps" | "outline";
  /** The number of steps and events that are loaded. */
  readonly loaded: { readonly steps: number; readonly events: number };
}

export type ToModel =
  | { readonly type: "open"; readonly runId: string; readonly hub: MessagePort }
  | { readonly type: "query"; readonly query: ViewQuery }
  | { readonly type: "visibility"; readonly isVisible: boolean }
  | { readonly type: "plan"; readonly plan: Plan | null };

export type FromModel =
  | { readonly type: "view"; readonly view: RunView }
  | { readonly type: "connection"; readonly state: "connected" | "lost" }
  | { readonly type: "failed"; readonly problem: Problem | null; readonly message: string };
