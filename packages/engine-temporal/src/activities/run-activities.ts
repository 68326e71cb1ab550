/** The activities of one worker: everything of a run that touches the ledger, user code or the outside. */
import { SeqMismatchError, type FullStateStore, type PlanRef } from "@runledger/contracts";
import { compact, isTerminal, toCheckpoint, type EventDraft, type RunState } from "@runledger/core";
import { newDecider } from "@runledger/runtime/engine/decider";
import type { EngineDeps } from "@runledger/runtime/engine/engine-deps";
import type { RunContext } from "@runledger/runtime/engine/run-context";
import { RunLog } from "@runledger/runtime/engine/run-log";
import { SpeculativeRun } from "@runledger/runtime/engine/speculative-run";
import { Suspects } from "@runledger/runtime/engine/suspects";
import { inTurn } from "@runledger/runtime/runs/in-turn";
import { fetchWhole } from "@runledger/runtime/runs/settled-log";
import type { CompiledWorkflow } from "@runledger/runtime/workflow/compiled-workflow";
import type { Activities, AppendParams, Loaded, News, NewsParams, ParkParams, WorkParams } from "../messages.js";
import { compactEvent, compactState } from "./compact-event.js";
import { executorOf } from "./executor.js";
import { FoldedRuns, type FoldedRun } from "./folded-runs.js";
import { noWorkflow, withFailures } from "./failures.js";
import { withHeartbeats } from "./heartbeats.js";
import { performWork } from "./perform-work.js";

/** Maximum number of events in one message. */
const PAGE = 200;

export interface ActivityParts {
  readonly store: FullStateStore;
  readonly deps: EngineDeps;
  readonly workflowOf: (plan: PlanRef) => CompiledWorkflow | undefined;
  /** Shared by all runs of the worker, such as its clock and its redactor. */
  readonly shared: Omit<RunContext, "runId" | "store" | "workflow" | "epoch">;
  /** How often a running activity reports that it is alive. */
  readonly heartbeatMs: number;
  /** Aborted when the worker must hand over its activities. */
  readonly handOver: AbortSignal;
}

export class RunActivities implements Activities {
  readonly #parts: ActivityParts;
  readonly #runs: FoldedRuns;

  constructor(parts: ActivityParts) {
    this.#parts = parts;
    this.#runs = new FoldedRuns(parts.store);
  }

  readonly load = (params: { readonly runId: string }): Promise<Loaded> =>
    withFailures(async () => {
      const { state } = await this.#runs.read(params.runId);
      const { plan } = this.#workflow(state);
      const cursor = toCheckpoint(compactState(compact(plan, state)));
      return { plan, cursor, now: this.#parts.shared.now() };
    });

  readonly readNews = (params: NewsParams): Promise<News> => withFailures(() => this.#news(params, false));

  readonly append = (params: AppendParams): Promise<News> =>
    withFailures(async () => {
      const { runId, epoch, expectedSeq, drafts } = params;
      const stored = await this.#appendAt(runId, epoch, expectedSeq, drafts);
      return this.#news({ runId, afterSeq: expectedSeq }, !stored);
    });

  readonly park = (params: ParkParams): Promise<boolean> =>
    withFailures(async () => {
      const { runId, epoch, expectedSeq, wakes } = params;
      const { state } = await this.#runs.read(runId);
      if (state.lastEventSeq !== expectedSeq) return false;
      const { plan } = this.#workflow(state);
      const checkpoint = isTerminal(state.status) ? null : toCheckpoint(compact(plan, state));
      const wakeAt = params.wakeAt === null ? null : new Date(params.wakeAt).toISOString();
      const { workerId } = this.#parts.deps;
      return this.#parts.store.queue.parkRun({ workerId, runId, epoch, expectedSeq, wakes, wakeAt, checkpoint }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof SeqMismatchError) return false;
          throw error;
        },
      );
    });

  readonly work = (params: WorkParams): Promise<News> =>
    withFailures(() => withHeartbeats(this.#parts.heartbeatMs, () => this.#work(params)));

  async #work(params: WorkParams): Promise<News> {
    const { runId, epoch } = params;
    if (!(await this.#appendBefore(params))) return this.#news(params, true);
    const current = await this.#runs.read(runId);
    const context = this.#context(current.state, epoch);
    const readRun = async (): Promise<SpeculativeRun> => this.#speculate(context, await this.#runs.read(runId));
    const appendInTurn = <T>(append: () => Promise<T>): Promise<T> => inTurn(this.#runs, runId, append);
    const { deps, handOver } = this.#parts;
    const parts = { context, deps, handOver, readRun, inTurn: appendInTurn };
    const stored = await performWork(parts, current.state, params);
    if (stored === null || params.before.length > 0) return this.#news(params, false);
    return { events: stored.map(compactEvent), hasMore: false, refused: false, now: this.#parts.shared.now() };
  }

  /** Appends what must precede the work. Returns `false` if the log has other events than the workflow has folded. */
  async #appendBefore({ runId, epoch, afterSeq, before }: WorkParams): Promise<boolean> {
    if (before.length === 0 || (await this.#appendAt(runId, epoch, afterSeq, before))) return true;
    const stored = await this.#parts.store.fetchEvents(runId, { afterSeq, limit: before.length });
    const folded = await this.#runs.read(runId);
    const events = this.#speculate(this.#context(folded.state, epoch), folded).eventsOf(before);
    return events.every(({ idempotencyKey }, index) => stored[index]?.idempotencyKey === idempotencyKey); // by an earlier attempt of this activity
  }

  async #news({ runId, afterSeq }: NewsParams, refused: boolean): Promise<News> {
    const events = await fetchWhole(this.#parts.store, runId, { afterSeq, limit: PAGE });
    return {
      events: events.map(compactEvent),
      hasMore: events.length === PAGE,
      refused,
      now: this.#parts.shared.now(),
    };
  }

  /** Appends at exactly this head. Returns `false` if the log has other events. */
  #appendAt(runId: string, epoch: number, seq: number, drafts: readonly EventDraft[]): Promise<boolean> {
    return inTurn(this.#runs, runId, async () => {
      const folded = await this.#runs.read(runId);
      if (folded.state.lastEventSeq !== seq) return false;
      const context = this.#context(folded.state, epoch);
      return (await new RunLog(context, this.#speculate(context, folded)).append(drafts, false)) !== "refused";
    });
  }

  #speculate(context: RunContext, { state, parents }: FoldedRun): SpeculativeRun {
    const run = new SpeculativeRun(context, newDecider(context.workflow.plan), true, new Suspects(), parents);
    run.restore(state);
    return run;
  }

  #context(state: RunState, epoch: number): RunContext {
    const { store, shared } = this.#parts;
    return {
      ...shared,
      runId: state.runId,
      store,
      workflow: this.#workflow(state),
      epoch,
      executor: executorOf(epoch),
    };
  }

  /** Another worker may have the workflow: Temporal tries again, there or here. */
  #workflow({ runId, details: { planId = "", planVersion = "" } }: RunState): CompiledWorkflow {
    const workflow = this.#parts.workflowOf({ planId, planVersion });
    if (workflow === undefined) throw noWorkflow(runId, { planId, planVersion });
    return workflow;
  }
}
