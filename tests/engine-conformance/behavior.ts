/** A behavior that every engine must have: workflows, and a script that plays and checks them. */
import type { CanonicalEngineEvent, JsonObject } from "@runledger/contracts";
import type { Ledger, RunHandle, StepProgress } from "runledger";
import type { ForkOptions } from "@runledger/runtime/runs/fork-plan";
import type { StartArguments } from "@runledger/runtime/runs/start-arguments";
import type { AnyWorkflow, ResultOf, SignalsOf } from "@runledger/runtime/workflow/types";
import { until } from "@runledger/test-support/until";

export interface Behavior {
  /** Sentence about the behavior: the title of its test. */
  readonly name: string;
  /** Makes the workflows and the script. Each engine gets its own. */
  readonly prepare: () => Prepared;
}

export interface Prepared {
  readonly workflows: readonly AnyWorkflow[];
  readonly play: (stage: Stage) => Promise<void>;
}

/** Every engine under test has this secret. */
export const SECRET = { name: "token", value: "correct-horse-battery" };

/** An engine with a worker that runs the workflows of all behaviors. */
export interface EngineUnderTest {
  readonly ledger: Ledger;
  readonly progress: readonly StepProgress[];
}

/** Starts the runs of one behavior and remembers them. */
export class Stage {
  readonly runs: string[] = [];
  readonly ledger: Ledger;
  readonly #engine: EngineUnderTest;

  constructor(engine: EngineUnderTest) {
    this.#engine = engine;
    this.ledger = engine.ledger;
  }

  async start<W extends AnyWorkflow>(
    workflow: W,
    ...params: StartArguments<W>
  ): Promise<RunHandle<ResultOf<W>, SignalsOf<W>>> {
    const run = await this.ledger.start(workflow, ...params);
    this.runs.push(run.id);
    return run;
  }

  async fork(origin: RunHandle<unknown, never>, options: ForkOptions): Promise<RunHandle> {
    const run = await this.ledger.fork(origin, options);
    this.runs.push(run.id);
    return run;
  }

  progressOf(runId: string): readonly StepProgress[] {
    return this.#engine.progress.filter((each) => each.runId === runId);
  }

  events({ id }: { readonly id: string }, stepId?: string): Promise<readonly CanonicalEngineEvent[]> {
    const ofStep = (event: CanonicalEngineEvent): boolean => stepId === undefined || event.stepId === stepId;
    return this.ledger.store.fetchEvents(id).then((events) => events.filter(ofStep));
  }

  /** Returns the types of a step's events with their attempts, such as `StepFailed 2`. */
  async story(run: { readonly id: string }, stepId: string): Promise<readonly string[]> {
    return (await this.events(run, stepId)).map((event) => `${event.eventType} ${event.logicalAttemptId}`);
  }

  /** Waits until the run has such an event, and returns its data. */
  async has(run: { readonly id: string }, eventType: string, stepId?: string): Promise<JsonObject> {
    let found: CanonicalEngineEvent | undefined;
    await until(async () => {
      found = (await this.events(run, stepId)).find((event) => event.eventType === eventType);
      return found !== undefined;
    });
    return found!.eventData as JsonObject;
  }

  /** Waits until the run has this status. */
  async reaches(run: Pick<RunHandle<unknown, never>, "snapshot">, status: string): Promise<void> {
    await until(async () => (await run.snapshot()).status === status);
  }
}

/** A promise that the script resolves, for steps that must run for a while. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}
