/** Checks all invariants after one seed. */
import { checkHistory } from "@runledger/store-conformance";
import { decide, evolveAll, fromCheckpoint, initialState } from "@runledger/core";
import type { Checkpoint, Plan } from "@runledger/contracts";
import { isChild, type Execution } from "../world/cluster.js";
import type { RecordedHistory } from "@runledger/runtime/testing/recorded-history";
import type { Simulated } from "../world/simulate.js";
import { appendsOf } from "./appends.js";
import { childrenFit } from "./children.js";
import { deadlineIsKept, notBeforeItsTime, withinItsBudget } from "./budget.js";
import {
  attemptsInOrder,
  culpritFailed,
  endFits,
  insideItsContainer,
  nothingLeftOpen,
  numberedByType,
  runEndsOnce,
} from "./life-cycle.js";
import {
  afterItsDependencies,
  backInReverse,
  nothingBeginsAfterAStop,
  nothingBeginsInAPause,
  withinItsPlaces,
} from "./order.js";
import { readsWhatWasWritten } from "./outputs.js";
import { firstInFirstOut, noSignalIsPassedOver } from "./signals.js";
import { storyOf, type Judge, type Report, type Story } from "./story.js";
import { executedAsRecorded, takeOversAreOnRecord } from "./take-overs.js";

const JUDGES: readonly Judge[] = [
  runEndsOnce,
  attemptsInOrder,
  nothingLeftOpen,
  insideItsContainer,
  numberedByType,
  culpritFailed,
  endFits,
  afterItsDependencies,
  withinItsPlaces,
  nothingBeginsInAPause,
  nothingBeginsAfterAStop,
  backInReverse,
  withinItsBudget,
  notBeforeItsTime,
  deadlineIsKept,
  firstInFirstOut,
  noSignalIsPassedOver,
  takeOversAreOnRecord,
];

export interface Broken {
  readonly invariant: string;
  readonly message: string;
}

export function judge(simulated: Simulated): readonly Broken[] {
  const { history, executions, stuck, engineFaults, unstopped, plans } = simulated;
  const broken: Broken[] = [];
  const note = (runId: string, invariant: string, message: string): void =>
    void broken.push({ invariant, message: `${runId}: ${message}` });
  for (const runId of stuck) note(runId, "run-ends", "the run is stuck or lost");
  for (const worker of unstopped) note(worker, "stops-when-asked", "it still runs");
  for (const { runId = "", error } of engineFaults) note(runId, "no-fault", String(error));
  const planOf = (runId: string): Plan => (isChild(runId) ? plans.child : plans.main).compiled.plan;
  return [...broken, ...judgeRuns({ history, executions, planOf })];
}

export interface Runs {
  readonly history: RecordedHistory;
  readonly executions: readonly Execution[];
  readonly planOf: (runId: string) => Plan;
}

/** Checks the invariants of finished runs, driven on a virtual clock or by real processes. */
export function judgeRuns({ history, executions, planOf }: Runs): readonly Broken[] {
  const broken: Broken[] = [];
  const about =
    (runId: string): Report =>
    (invariant, message) =>
      broken.push({ invariant, message: `${runId}: ${message}` });
  for (const { invariant, runId, message } of checkHistory(history).violations) about(runId)(invariant, message);
  const appendOf = appendsOf(history);
  const stories = new Map<string, Story>();
  for (const { runId, events } of history.logs) stories.set(runId, storyOf(runId, planOf(runId), events, appendOf));
  for (const story of stories.values()) {
    for (const each of JUDGES) each(story, about(story.runId));
    executedAsRecorded(story, executions, about(story.runId));
    readsWhatWasWritten(story, executions, about(story.runId));
  }
  childrenFit(stories, about("children"));
  for (const checkpoint of loadedCheckpoints(history)) checkCheckpoint(stories, checkpoint, about(checkpoint.runId));
  return broken;
}

function loadedCheckpoints({ operations }: RecordedHistory): readonly Checkpoint[] {
  const loaded = operations.flatMap((operation) => (operation.kind === "checkpoint" ? [operation.checkpoint] : []));
  return [...new Map(loaded.map((each) => [`${each.runId} ${each.seq} ${each.checksum}`, each])).values()];
}

/** A worker that resumes from a checkpoint decides the same as after a full replay (C1). */
function checkCheckpoint(stories: ReadonlyMap<string, Story>, checkpoint: Checkpoint, report: Report): void {
  const story = stories.get(checkpoint.runId)!;
  const state = fromCheckpoint(checkpoint);
  if (state === null) return report("checkpoint-is-usable", `at ${checkpoint.seq}`);
  const replayed = evolveAll(initialState(story.runId), story.events.slice(0, checkpoint.seq));
  const [resumed, full] = [state, replayed].map((each) => JSON.stringify(decide(story.plan, each)));
  if (resumed !== full) report("checkpoint-is-the-fold", `at ${checkpoint.seq}: ${resumed} instead of ${full}`);
}
