/** Bugs in the engine: decisions or executions that contradict the plan or the log. */
import type { Plan, PlanBody, PlanStep, StepRow } from "@runledger/contracts";
import { decide, indexPlan, pathOf, UNDO, type Command, type EventDraft, type RunState } from "@runledger/core";
import { statelessDecider, type Decide } from "@runledger/runtime/engine/decider";
import type { PlantedBug } from "./planted-bug.js";

type Append = Extract<Command, { readonly type: "append" }>;

function decides(name: string, breaks: readonly string[], wrong: Decide): PlantedBug {
  return { name, breaks, plant: () => ({ newDecider: statelessDecider(wrong) }) };
}

/** Changes the events of a decision. */
function drafts(name: string, breaks: readonly string[], change: (event: EventDraft) => EventDraft): PlantedBug {
  return decides(name, breaks, (plan, state) =>
    decide(plan, state).map((command) =>
      command.type === "append" ? { ...command, event: change(command.event) } : command,
    ),
  );
}

/** Makes some commands of a decision due now. */
function early(name: string, isEarly: (command: Command, plan: Plan) => boolean): PlantedBug {
  return decides(name, ["not-before-its-time"], (plan, state) =>
    decide(plan, state).map((command) => {
      if (!isEarly(command, plan)) return command;
      return { ...command, notBefore: "2026-01-01T00:00:00.000Z" };
    }),
  );
}

const plans = new WeakMap<Plan, Map<string, Plan>>();

/** Changes the steps of a plan, once per plan. */
function changed(plan: Plan, name: string, change: (step: PlanStep) => PlanStep): Plan {
  const known = plans.get(plan) ?? new Map<string, Plan>();
  plans.set(plan, known);
  const body = ({ steps, output }: PlanBody): PlanBody => ({
    output,
    steps: steps.map((step) => change({ ...step, ...(step.bodies && { bodies: step.bodies.map(body) }) })),
  });
  const made = known.get(name) ?? { ...plan, body: body(plan.body) };
  known.set(name, made);
  return made;
}

function withPlan(name: string, breaks: readonly string[], change: (step: PlanStep) => PlanStep): PlantedBug {
  return decides(name, breaks, (plan, state) => decide(changed(plan, name, change), state));
}

function isStepEvent({ eventType }: EventDraft, type: string): boolean {
  return eventType === type;
}

/** Drops signals that arrive before their wait. */
const earlySignalDropped: PlantedBug = {
  name: "early signal dropped",
  breaks: ["run-ends", "no-signal-is-passed-over"],
  plant: () => {
    const missed = new Map<string, ReadonlySet<string>>();
    const wrong: Decide = (plan, state) => {
      for (const row of waitsIn(plan, state)) {
        const name = `${state.runId} ${row.stepId} ${row.logicalAttemptId}`;
        if (!missed.has(name)) missed.set(name, new Set(state.details.signals?.map(({ signalId }) => signalId)));
      }
      return decide(plan, state).filter((command) => {
        const event = command.type === "append" ? command.event : undefined;
        const id = event?.causedBySignalId;
        if (id === undefined || event?.eventType !== "StepCompleted") return true;
        return !(missed.get(`${state.runId} ${event.stepId} ${event.attempt}`)?.has(id) ?? false);
      });
    };
    return { newDecider: statelessDecider(wrong) };
  },
};

function waitsIn(plan: Plan, state: RunState): StepRow[] {
  return state.steps
    .rows()
    .filter(({ stepId, status }) => status === "RUNNING" && indexPlan(plan).get(pathOf(stepId))?.kind === "wait");
}

const deliveredTwice = decides("signal delivered twice", ["signal-is-taken-once"], (plan, state) => {
  const commands = decide(plan, state);
  const taking = commands.find(
    (command): command is Append =>
      command.type === "append" &&
      command.event.eventType === "StepCompleted" &&
      command.event.causedBySignalId !== undefined,
  );
  if (taking === undefined) return commands;
  const other = waitsIn(plan, state).find(({ stepId }) => stepId !== taking.event.stepId);
  if (other === undefined) return commands;
  const event = { ...taking.event, stepId: other.stepId, attempt: Number(other.logicalAttemptId) };
  const rest = commands.filter((command) => command.type !== "append" || command.event.stepId !== other.stepId);
  return [...rest, { type: "append", event }];
});

const lastInFirstOut = decides("signals last in first out", ["first-in-first-out"], (plan, state) => {
  const { signals = [] } = state.details;
  return decide(plan, { ...state, details: { ...state.details, signals: [...signals].reverse() } });
});

const undoneInOrder = decides("compensation order reversed", ["back-in-reverse"], (plan, state) => {
  const commands = decide(plan, state);
  const [first] = commands;
  if (first?.type !== "run" || !first.stepId.startsWith(UNDO) || first.attempt !== 1) return commands;
  const [oldest] = state.steps
    .rows()
    .filter(({ stepId, status }) => status === "SUCCESS" && isUndoable(plan, state, stepId))
    .sort((a, b) => a.endedSeq! - b.endedSeq!);
  if (oldest === undefined || state.steps.get(first.stepId)?.status === "RUNNING") return commands;
  return [{ type: "run", stepId: UNDO + oldest.stepId, path: pathOf(oldest.stepId), attempt: 1 }];
});

function isUndoable(plan: Plan, state: RunState, stepId: string): boolean {
  if (stepId.startsWith(UNDO) || indexPlan(plan).get(pathOf(stepId))?.compensate !== true) return false;
  return state.steps.get(UNDO + stepId) === undefined;
}

const nothingUndone = decides("nothing is undone", ["back-in-reverse"], (plan, state) => {
  const commands = decide(plan, state);
  const [first] = commands;
  if (first?.type !== "run" || !first.stepId.startsWith(UNDO)) return commands;
  const cancel = state.details.actions?.find(({ name }) => name === "CANCEL" || name === "DEADLINE");
  const attempt = (state.ordinals["RunCancelled"] ?? 0) + 1;
  const event = { eventType: "RunCancelled", attempt, causedBySignalId: cancel!.signalId };
  return [{ type: "append", event, changesStatus: true }];
});

const stopsWithoutWaiting = decides(
  "a stopped run does not wait for its steps",
  ["ends-with-its-run"],
  (plan, state) => {
    const commands = decide(plan, state);
    const cancel = state.details.actions?.find(({ name }) => name === "CANCEL");
    if (cancel === undefined || !commands.some(({ type }) => type === "abort")) return commands;
    const attempt = (state.ordinals["RunCancelled"] ?? 0) + 1;
    return [
      {
        type: "append",
        event: { eventType: "RunCancelled", attempt, causedBySignalId: cancel.signalId },
        changesStatus: true,
      },
    ];
  },
);

const pauseIgnored = decides("steps start during a pause", ["nothing-begins-in-a-pause"], (plan, state) =>
  decide(plan, state.status === "PAUSED" ? { ...state, status: "RUNNING" } : state),
);

const cancelIgnored = decides(
  "a cancel is not heard while steps run",
  ["nothing-begins-after-a-stop", "a-stop-is-heard"],
  (plan, state) => {
    const { actions = [] } = state.details;
    const runs = state.steps.rows().some(({ status }) => status === "RUNNING");
    if (!runs) return decide(plan, state);
    return decide(plan, {
      ...state,
      details: { ...state.details, actions: actions.filter(({ name }) => name !== "CANCEL") },
    });
  },
);

const deadlineIgnored = decides("a deadline is not called", ["deadline-is-kept"], (plan, state) =>
  decide(plan, state).filter((command) => command.type !== "append" || !isDeadline(command.event)),
);

function isDeadline({ data }: EventDraft): boolean {
  return (data as { readonly name?: string } | undefined)?.name === "DEADLINE";
}

const waitsForEver = decides("a wait has no end", ["run-ends"], (plan, state) =>
  decide(plan, state).filter(
    (command) => command.type !== "append" || command.notBefore === undefined || kindOf(plan, command.event) !== "wait",
  ),
);

function kindOf(plan: Plan, { stepId }: EventDraft): string | undefined {
  return stepId === undefined ? undefined : indexPlan(plan).get(pathOf(stepId))?.kind;
}

const oneTryMore: PlantedBug = {
  name: "one try more than granted",
  breaks: ["within-its-budget"],
  plant: () => ({
    compiled: (workflow) => ({
      ...workflow,
      plan: changed(workflow.plan, "one try more", (step) =>
        step.retry === undefined ? step : { ...step, retry: { ...step.retry, attempts: step.retry.attempts + 1 } },
      ),
    }),
  }),
};

const endsTooEarly = decides(
  "a container ends before its steps",
  ["ends-with-its-run", "inside-its-container"],
  (plan, state) => {
    const commands = decide(plan, state);
    const inner = state.steps.rows().find(({ stepId, status }) => status === "RUNNING" && stepId.includes("/"));
    const container = inner === undefined ? undefined : state.steps.get(inner.stepId.split("/")[0]!);
    if (container?.status !== "RUNNING") return commands;
    const event = {
      eventType: "StepCompleted",
      stepId: container.stepId,
      attempt: Number(container.logicalAttemptId),
      data: { output: null },
    };
    return [...commands, { type: "append", event }];
  },
);

const childEndsEarly: PlantedBug = {
  name: "a child's end is not waited for",
  breaks: ["children-fit"],
  plant: () => ({
    children: (children) => ({
      ...children,
      outcome: async (id) => {
        const outcome = await children.outcome(id);
        return outcome === "running" ? { output: null } : outcome;
      },
    }),
  }),
};

const childNotCancelled: PlantedBug = {
  name: "a cancel does not go down",
  breaks: ["a-stop-goes-down"],
  plant: () => ({ children: (children) => ({ ...children, cancel: async () => {} }) }),
};

export const engineBugs: readonly PlantedBug[] = [
  earlySignalDropped,
  deliveredTwice,
  lastInFirstOut,
  undoneInOrder,
  nothingUndone,
  stopsWithoutWaiting,
  pauseIgnored,
  cancelIgnored,
  deadlineIgnored,
  waitsForEver,
  oneTryMore,
  endsTooEarly,
  childEndsEarly,
  childNotCancelled,
  withPlan("forEach over its limit", ["within-its-places"], (step) =>
    step.concurrency === undefined ? step : { ...step, concurrency: step.concurrency + 1 },
  ),
  withPlan("dependencies are not waited for", ["after-its-dependencies"], (step) => ({ ...step, after: [] })),
  withPlan("continueOnFailure is not heard", ["skip-names-its-culprit"], ({ continueOnFailure: _, ...step }) => step),
  drafts("skip without culprit", ["skip-names-its-culprit"], (event) => {
    if (!isStepEvent(event, "StepSkipped")) return event;
    const { culprit: _, ...data } = event.data as { readonly culprit?: string };
    return { ...event, data };
  }),
  drafts("run-level events are all the first", ["run-ends", "K2"], (event) =>
    event.stepId === undefined && event.eventType.startsWith("Run") ? { ...event, attempt: 1 } : event,
  ),
  early("a retry does not wait", ({ type }) => type === "run"),
  early(
    "a sleep ends at once",
    (command, plan) => command.type === "append" && kindOf(plan, command.event) === "sleep",
  ),
  early(
    "a timeout comes at once",
    (command, plan) => command.type === "append" && kindOf(plan, command.event) === "wait",
  ),
];
