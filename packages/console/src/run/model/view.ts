/** What the page asks of the model of a run, and what it gets: as much as is on the screen, and no more. */
import type { Plan, RunHeader } from "@runledger/contracts";
import type { Problem } from "@runledger/client";
import type { Attempt } from "./attempts.js";

export type ViewStatus =
  "NOT_STARTED" | "PENDING" | "RUNNING" | "WAITING" | "RETRYING" | "SUCCESS" | "FAILED" | "SKIPPED";

export interface Look {
  /** Null = as it is now. */
  readonly seq: number | null;
  /** Containers that are open. */
  readonly open: readonly string[];
  /** Rows whose id holds this. */
  readonly find: string;
  /** Milliseconds since the run was created; null = the whole run. */
  readonly zoom: { readonly from: number; readonly to: number } | null;
  /** Rows of these statuses only; empty = all. */
  readonly statuses: readonly ViewStatus[];
  readonly from: number;
  readonly to: number;
}

/** How many of a container's steps are what. */
export type Tally = Readonly<Record<"done" | "failed" | "running" | "waiting" | "skipped", number>>;

export interface ViewRow {
  readonly stepId: string;
  readonly label: string;
  readonly depth: number;
  readonly kind: string;
  readonly status: ViewStatus;
  readonly attempts: readonly Attempt[];
  /** When it could have begun, where it began later; null = it did not wait. */
  readonly readyAt: number | null;
  readonly attempt: string | null;
  readonly takeOvers: number;
  readonly error: string | null;
  /** What it waits for, and until when. */
  readonly signal: string | null;
  readonly until: string | null;
  readonly childRunId: string | null;
  readonly reason: string | null;
  readonly container: ContainerView | null;
}

export interface ContainerView {
  readonly isOpen: boolean;
  /** False = there are too many to be listed. */
  readonly canOpen: boolean;
  /** Steps in it that are known by now. */
  readonly tally: Tally;
  /** Items, or passes; null = not known yet. */
  readonly count: number | null;
  /** Of a closed one: for each slice of the time, how many of its steps were under way and how many failed. */
  readonly density: readonly { readonly active: number; readonly failed: number }[];
}

/** What has become of a step of the plan, which may stand for many of the run. */
export interface PathView {
  readonly status: ViewStatus;
  readonly tally: Tally;
  /** The one to look at: a failed one before a running one before the others. */
  readonly example: string;
}

/** Something that happened to the run as a whole, to be marked on the time axis. */
export interface Landmark {
  readonly at: number;
  readonly seq: number;
  readonly type: string;
  readonly note: string;
}

export interface RunView {
  readonly header: RunHeader;
  /** What it waits for before it begins; undefined = its turn, or it has begun. */
  readonly waitsFor: "approval" | undefined;
  readonly headSeq: number;
  /** What is shown. Equal to `headSeq` = it is live. */
  readonly seq: number;
  /** Of the event at `seq`. */
  readonly at: { readonly time: string; readonly type: string; readonly stepId: string | null } | null;
  readonly rowCount: number;
  readonly from: number;
  readonly rows: readonly ViewRow[];
  /** What the axis spans: the whole run as far as it has come, or a part of it. `now` is the moment that is shown. */
  readonly time: { readonly from: number; readonly to: number; readonly now: number };
  readonly whole: { readonly from: number; readonly to: number };
  readonly landmarks: readonly Landmark[];
  /** By path in the plan. */
  readonly paths: Readonly<Record<string, PathView>>;
  /**
   * `whole`: every event is here, or will be. Else the run is too long to be read, and a moment is read when it is looked
   * at: `steps`, all of them as they stood; `outline`, those inside containers as numbers.
   */
  readonly extent: "whole" | "steps" | "outline";
  /** Steps that are here, of how many there are; and events. */
  readonly loaded: { readonly steps: number; readonly events: number };
}

export type ToModel =
  | { readonly type: "open"; readonly runId: string; readonly hub: MessagePort }
  | { readonly type: "look"; readonly look: Look }
  /** Whether somebody sees the tab. */
  | { readonly type: "seen"; readonly isSeen: boolean }
  | { readonly type: "plan"; readonly plan: Plan | null };

export type FromModel =
  | { readonly type: "view"; readonly view: RunView }
  | { readonly type: "connection"; readonly state: "connected" | "lost" }
  | { readonly type: "failed"; readonly problem: Problem | null; readonly message: string };
