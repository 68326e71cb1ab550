/**
 * What a driver appends and begins next. What happened is folded ahead of its append, and decided on:
 *  O3  What ended and what that unlocks travel in one append: a chain of N steps costs about N + 1 commits.
 */
import type { Plan } from "@runledger/contracts";
import type { Command, EventDraft, RunState } from "@runledger/core";
import type { Decide } from "./engine-parts.js";

export interface Turn {
  readonly drafts: readonly EventDraft[];
  /** The append must find the head that was folded. */
  readonly changesStatus: boolean;
  /** What is to be begun once the drafts are on record. */
  readonly commands: readonly Command[];
  /** When the next command is due; null = none has a time. */
  readonly wakeAt: number | null;
}

export interface TurnParams {
  readonly plan: Plan;
  readonly decide: Decide;
  readonly happened: readonly EventDraft[];
  readonly now: number;
  readonly ahead: (drafts: readonly EventDraft[]) => RunState;
}

export function planTurn({ plan, decide, happened, now, ahead }: TurnParams): Turn {
  const drafts = [...happened];
  for (;;) {
    const state = ahead(drafts);
    const commands = decide(plan, state);
    const due = commands.filter((command) => dueAt(command) <= now);
    const appends = due.filter((command) => command.type === "append");
    const status = appends.find((command) => command.changesStatus === true);
    if (status !== undefined) {
      const event = withDeadline(plan, status.event, now);
      return { drafts: [...drafts, event], changesStatus: true, commands: [], wakeAt: null };
    }
    if (appends.length === 0) {
      const wakeAt = nextTime(commands, now);
      return { drafts: [...drafts, ...starts(state, due)], changesStatus: false, commands: due, wakeAt };
    }
    drafts.push(...appends.map(({ event }) => event));
  }
}

/** A worker that is about to stop begins nothing: it records what ended, and stops what is to be stopped. */
export function planLastTurn({ plan, decide, happened, ahead }: TurnParams): Turn {
  const commands = decide(plan, ahead(happened)).filter(({ type }) => type === "abort");
  return { drafts: happened, changesStatus: false, commands, wakeAt: null };
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
