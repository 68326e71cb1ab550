/**
 * Given this plan and what happened, then this is to be done: how `decide` is specified. Commands are shown as text:
 * `run load#2`, `append StepSkipped publish#1 {…}`, each with `at <time>` where it is not due at once.
 */
import type { Json, Plan } from "@runledger/contracts";
import {
  compilePlan,
  decide,
  evolveAll,
  initialState,
  type Command,
  type Definition,
  type DefinitionStep,
  type EventDraft,
  type RunState,
} from "@runledger/core";
import { expect } from "vitest";
import { numbered, run, RUN_ID, step, type Draft } from "./given.js";

export function planOf(steps: readonly DefinitionStep[], more: Partial<Definition> = {}): Plan {
  return compilePlan({ id: "nightly", version: "1.2.0", body: { steps }, ...more });
}

/** A step that does work. */
export const work = (id: string, more: Partial<DefinitionStep> = {}): DefinitionStep => ({
  id,
  kind: "function",
  ...more,
});

export const started = (stepId: string, opened?: Json, attempt = 1): Draft =>
  step(stepId, "Started", String(attempt), opened === undefined ? {} : { opened });

export const done = (stepId: string, data: Json = {}, attempt = 1): Draft =>
  step(stepId, "Completed", String(attempt), data);

/** A step that started and completed. */
export const ran = (stepId: string, attempt = 1): Draft[] => [
  started(stepId, undefined, attempt),
  done(stepId, {}, attempt),
];

export const broke = (stepId: string, more: Readonly<Record<string, Json>> = {}, attempt = 1): Draft =>
  step(stepId, "Failed", String(attempt), { error: { code: "BROKEN", message: "no", retryable: true }, ...more });

export const action = (name: string, signalId: string, stepId?: string): Draft => ({
  eventType: "SignalAccepted",
  attempt: signalId,
  data: { namespace: "action", name, ...(stepId === undefined ? {} : { stepId }) },
});

export const signal = (name: string, signalId: string): Draft => ({
  eventType: "SignalAccepted",
  attempt: signalId,
  data: { namespace: "signal", name },
});

export const reset = (...steps: readonly Json[]): Draft => ({ eventType: "StepsReset", data: { steps: [...steps] } });

/** A running run. The first event after it has seq 2; events are a second apart. */
export function running(plan: Plan, ...happened: readonly (Draft | readonly Draft[])[]): Situation {
  return new Situation(plan, [run("Started"), ...happened.flat()]);
}

export function after(plan: Plan, ...happened: readonly (Draft | readonly Draft[])[]): Situation {
  return new Situation(plan, happened.flat());
}

/** When the event with this seq was emitted. */
export const timeOf = (seq: number, plusMs = 0): string =>
  new Date(Date.UTC(2026, 10, 14) + seq * 1000 + plusMs).toISOString();

export class Situation {
  readonly state: RunState;

  constructor(
    readonly plan: Plan,
    readonly drafts: readonly Draft[],
  ) {
    this.state = evolveAll(initialState(RUN_ID), numbered(drafts));
  }

  get commands(): readonly Command[] {
    return decide(this.plan, this.state);
  }

  /** Expects these commands now. */
  decides(...expected: readonly string[]): this {
    expect(this.commands.map(toText)).toEqual(expected);
    return this;
  }

  /** The same run once this has happened too. */
  and(...happened: readonly (Draft | readonly Draft[])[]): Situation {
    return new Situation(this.plan, [...this.drafts, ...happened.flat()]);
  }

  /** The same run once every append that it asks for is on record, due or not; until it asks for none. */
  settled(): Situation {
    const appends = this.commands.flatMap((command) => (command.type === "append" ? [toDraft(command.event)] : []));
    return appends.length === 0 ? this : this.and(appends).settled();
  }
}

export function toDraft({ attempt, ...event }: EventDraft): Draft {
  return { ...event, attempt: String(attempt) };
}

function toText(command: Command): string {
  const at = "notBefore" in command && command.notBefore !== undefined ? ` at ${command.notBefore}` : "";
  return `${command.type} ${body(command)}${at}`;
}

function body(command: Command): string {
  switch (command.type) {
    case "append":
      return describe(command.event) + (command.changesStatus === true ? " at the head" : "");
    case "askAgain":
      return `${command.stepId}/${command.iteration}#${command.attempt}`;
    case "cancelChild":
      return command.childRunId;
    case "awaitChild":
      return `${command.childRunId} of ${command.stepId}#${command.attempt}`;
    default:
      return `${command.stepId}#${command.attempt}`;
  }
}

function describe({ eventType, stepId, attempt, data, causedBySignalId }: EventDraft): string {
  const subject = stepId === undefined ? `${eventType}#${attempt}` : `${eventType} ${stepId}#${attempt}`;
  const cause = causedBySignalId === undefined ? "" : ` by ${causedBySignalId}`;
  return subject + (data === undefined ? "" : ` ${JSON.stringify(data)}`) + cause;
}
