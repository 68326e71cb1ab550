/**
 * What a driver appends and begins next. What happened is folded ahead of its append, and decided on:
 *  O3  What ended and what that unlocks travel in one append: a chain of N steps costs about N + 1 commits.
 */
import type { Plan } from "@runledger/contracts";
import type { Command, EventDraft, RunState } from "@runledger/core";

export interface Turn {
  readonly drafts: readonly EventDraft[];
  /** What happened and is no longer wanted: it goes on nobody's record. */
  readonly dropped: readonly EventDraft[];
  /** What is to be begun once the drafts are on record. */
  readonly commands: readonly Command[];
  /** When the next command is due; null = none has a time. */
  readonly wakeAt: number | null;
}

/** What would be so, and what would be next. */
export interface Considered {
  readonly state: RunState;
  readonly commands: readonly Command[];
}

export interface TurnParams {
  readonly plan: Plan;
  readonly happened: readonly EventDraft[];
  readonly now: number;
  /** With these on record. */
  readonly consider: (drafts: readonly EventDraft[]) => Considered;
}

export function planTurn(params: TurnParams): Turn {
  const { plan, now, consider } = params;
  const dropped = unwanted(params);
  const drafts = params.happened.filter((draft) => !dropped.includes(draft));
  for (;;) {
    const { state, commands } = consider(drafts);
    const due = commands.filter((command) => dueAt(command) <= now);
    const appends = due.filter((command) => command.type === "append");
    if (appends.length === 0) {
      drafts.push(...starts(state, due));
      return { drafts, dropped, commands: due, wakeAt: nextTime(commands, now) };
    }
    drafts.push(...first(appends).map(({ event }) => withDeadline(plan, event, now)));
  }
}

type Append = Extract<Command, { readonly type: "append" }>;

/**
 * What the rest depends on: the run's status, and what the system does of its own, as when time is up (D3). The rest is
 * decided on once that is there.
 */
function first(appends: readonly Append[]): readonly Append[] {
  const status = appends.filter(({ changesStatus }) => changesStatus === true).slice(0, 1);
  const own = appends.filter(({ event }) => event.eventType === "SignalAccepted");
  return [status, own, appends].find((some) => some.length > 0)!;
}

/**
 * A container that was being opened while the run was paused or stopped does not begin. Its closure is asked again if it
 * ever does: what it returned holds from the moment it is on record (D1).
 */
function unwanted({ happened, consider }: TurnParams): readonly EventDraft[] {
  const openings = openingsIn(happened);
  if (openings.length === 0) return [];
  const { commands } = consider(happened.filter((draft) => !openings.includes(draft)));
  const wanted = commands.filter((command) => command.type === "open");
  return openings.filter((draft) => !wanted.some((command) => isSameAttempt(command, draft)));
}

/** Containers that were opened, and those that could not be: of everything else only the end happens. */
function openingsIn(happened: readonly EventDraft[]): readonly EventDraft[] {
  const begun = happened.filter(({ eventType }) => eventType === "StepStarted");
  return happened.filter((draft) => begun.some((each) => isSameAttempt(each, draft)));
}

type Named = { readonly stepId?: string; readonly attempt: number | string };

function isSameAttempt(a: Named, b: Named): boolean {
  return a.stepId === b.stepId && a.attempt === b.attempt;
}

/** A worker that is about to stop begins nothing: it records what ended, and stops what is to be stopped. */
export function planLastTurn({ happened, consider }: TurnParams): Turn {
  const dropped = openingsIn(happened);
  const drafts = happened.filter((draft) => !dropped.includes(draft));
  const commands = consider(drafts).commands.filter(({ type }) => type === "abort");
  return { drafts, dropped, commands, wakeAt: null };
}

function dueAt(command: Command): number {
  return "notBefore" in command && command.notBefore !== undefined ? Date.parse(command.notBefore) : 0;
}

function nextTime(commands: readonly Command[], now: number): number | null {
  const times = commands.map(dueAt).filter((time) => time > now);
  return times.length === 0 ? null : Math.min(...times);
}

function starts(state: RunState, due: readonly Command[]): EventDraft[] {
  return due.flatMap((command) => {
    if (command.type !== "run") return [];
    const { stepId, attempt } = command;
    const row = state.steps.get(stepId);
    const runs = row?.status === "RUNNING" && Number(row.logicalAttemptId) === attempt;
    return runs ? [] : [{ eventType: "StepStarted", stepId, attempt }];
  });
}

/** D3: the deadline is a time on record, not a duration that everybody counts for himself. */
function withDeadline({ deadlineMs }: Plan, event: EventDraft, now: number): EventDraft {
  if (event.eventType !== "RunStarted" || deadlineMs === null) return event;
  return { ...event, data: { deadlineAt: new Date(now + deadlineMs).toISOString() } };
}
