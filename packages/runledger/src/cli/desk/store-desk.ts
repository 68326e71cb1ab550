/** A desk that works on a store itself, with what the project at hand knows of its workflows. */
import {
  ALL_TENANTS,
  DEFAULT_TENANT,
  RunNotFoundError,
  type AccessKey,
  type CanonicalEngineEvent,
  type Json,
  type LimitTarget,
  type RunCompletedData,
  type RunHead,
} from "@runledger/contracts";
import type { Action, RunState } from "@runledger/core";
import { outputOf } from "../../engine/outputs.js";
import type { Ledger } from "../../ledger/ledger.js";
import type { ListOptions } from "../../ledger/run-list.js";
import { loadState } from "../../ledger/load-state.js";
import type { LimitOptions, QueueAnswer } from "../../queue/ledger-queue.js";
import { reasonText } from "../../queue/reason-text.js";
import { createApiKey } from "../../server/access/api-keys.js";
import { diffRuns } from "../../server/runs/diff-runs.js";
import type { Project } from "../../config/load-project.js";
import { compiledOf } from "../../workflow/compiled-workflow.js";
import { jsonSchemaOf } from "../../workflow/schema.js";
import { followRun } from "../follow-run.js";
import { missingWorker } from "../missing-worker.js";
import { chooseWorkflow, workflowOf } from "../workflow-choice.js";
import type * as desk from "./desk.js";
import { storedLogs } from "./stored-logs.js";
import { StoreSchedules } from "./store-schedules.js";
import { userName } from "./user-name.js";

export interface StoreDeskOptions {
  readonly ledger: Ledger;
  /** Null = there is none, or it cannot be loaded. */
  readonly project: () => Promise<Project | null>;
  /** The same, for what cannot be done without one. */
  readonly projectNeeded: () => Promise<Project>;
  readonly tenantId: string | undefined;
}

export class StoreDesk implements desk.Desk {
  readonly schedules: StoreSchedules;
  readonly #ledger: Ledger;
  readonly #options: StoreDeskOptions;

  constructor(options: StoreDeskOptions) {
    this.#ledger = options.ledger;
    this.#options = options;
    this.schedules = new StoreSchedules(options);
  }

  async start({ workflow: name, input, ...options }: desk.StartOrder): Promise<desk.Started> {
    const workflow = chooseWorkflow(await this.#options.projectNeeded(), name);
    const { id } = await this.#ledger.start(workflow, input as never, {
      ...this.#tenant(),
      ...options,
      by: userName(),
    });
    return { runId: id, workflow: workflow.id, version: workflow.version };
  }

  async listRuns(filter: ListOptions, page: desk.PageOrder): Promise<desk.ListedRuns> {
    const { runs, cursor } = await this.#ledger.list(filter).page(page);
    const workers = await this.#ledger.store.leases.listWorkers();
    return { runs, cursor, missing: (run) => missingWorker(workers, run) };
  }

  follow(runId: string, enough: AbortSignal): AsyncGenerator<desk.Page> {
    return followRun(this.#ledger.store, runId, enough);
  }

  async *readEvents(runId: string): AsyncGenerator<readonly CanonicalEngineEvent[]> {
    const { store } = this.#ledger;
    for (let afterSeq = 0; ;) {
      const events = await store.fetchEvents(runId, { afterSeq });
      if (events.length === 0 && afterSeq === 0) throw new RunNotFoundError(runId);
      if (events.length === 0) return;
      yield events;
      afterSeq = events.at(-1)!.runSeq;
    }
  }

  readLogs(runId: string, order: desk.LogOrder): AsyncGenerator<readonly desk.PrintedLine[]> {
    return storedLogs(this.#ledger.store, runId, order);
  }

  /** The project knows most; whoever started the run has published its plan. */
  async planOf(state: RunState): Promise<desk.KnownPlan | null> {
    const known = workflowOf(await this.#options.project(), state);
    const { planId, planVersion } = state.details;
    if (planId === undefined || planVersion === undefined) return null;
    if (known === null) {
      const plan = await this.#ledger.store.plans.loadPlan({ planId, planVersion });
      return plan === null ? null : { plan, signalSchema: () => null };
    }
    const { plan, closures, signals } = compiledOf(known);
    return { plan, signalSchema: (name, path) => jsonSchemaOf(closures.get(path)?.schema ?? signals[name]) };
  }

  async missingWorker({ status, details }: RunState): Promise<string | null> {
    return missingWorker(await this.#ledger.store.leases.listWorkers(), { ...details, status });
  }

  async outputOf(state: RunState, { eventData }: CanonicalEngineEvent): Promise<Json | undefined> {
    const { output, outputFrom } = eventData as RunCompletedData;
    if (outputFrom === undefined) return output;
    const { planVersion = "" } = state.details;
    return outputOf({ store: this.#ledger.store, runId: state.runId, planVersion }, state, outputFrom);
  }

  async act(runId: string, action: Action, sender: desk.ActionSender): Promise<void> {
    await this.#ledger.act(runId, action, { ...sender, by: sender.by ?? userName() });
  }

  /** Where the project has the run's workflow, its schema judges the payload before anything is sent. */
  async signal(runId: string, name: string, payload: Json, sender: desk.Sender): Promise<void> {
    const workflow = workflowOf(await this.#options.project(), await loadState(this.#ledger.store, runId));
    const said = { ...sender, by: sender.by ?? userName() };
    if (workflow === null) return this.#ledger.signal(runId, name, payload, said);
    await (await this.#ledger.get(workflow, runId)).signal(name as never, payload, said);
  }

  async previewFork(runId: string, order: desk.ForkOrder) {
    return this.#ledger.previewFork(runId, await this.#fork(runId, order));
  }

  async fork(runId: string, order: desk.ForkOrder): Promise<desk.Started> {
    const wanted = await this.#fork(runId, order);
    const { workflow, version } = await this.#ledger.previewFork(runId, wanted);
    const { id } = await this.#ledger.fork(runId, { ...wanted, by: userName() });
    return { runId: id, workflow, version };
  }

  /** Where the project has the version, its schema judges the input before anything is started. */
  async #fork(runId: string, { version: wanted, ...order }: desk.ForkOrder) {
    const { planId, planVersion } = (await loadState(this.#ledger.store, runId)).details;
    const version = wanted ?? planVersion;
    const known = (await this.#options.project())?.workflows.map(({ workflow }) => workflow) ?? [];
    const found = known.find((workflow) => workflow.id === planId && workflow.version === version) ?? version;
    return found === undefined ? order : { ...order, version: found };
  }

  async diff(runId: string, otherRunId: string): Promise<desk.Comparison> {
    const heads = [await this.#head(runId), await this.#head(otherRunId)] as const;
    const { store } = this.#ledger;
    return diffRuns(store, store.forTenant(heads[0].tenantId), heads);
  }

  async #head(runId: string): Promise<RunHead> {
    const [head] = await this.#ledger.store.fetchHeads([runId]);
    if (head === undefined) throw new RunNotFoundError(runId);
    return head;
  }

  async listQueue({ tenantId, after, limit }: desk.QueueOrder): Promise<desk.QueueListing> {
    const which = {
      ...(tenantId === undefined ? {} : { tenantId }),
      ...(after === undefined ? {} : { afterRunId: after }),
    };
    const entries = await this.#ledger.queue.list({ ...which, limit: limit + 1 });
    const page = entries.slice(0, limit);
    const items = await Promise.all(page.map(({ runId }) => this.why(runId)));
    return {
      items: items.filter(({ where }) => where !== "ended"),
      next: entries.length > limit ? page.at(-1)!.runId : null,
    };
  }

  async why(runId: string): Promise<desk.QueueStanding> {
    return standingOf(await this.#ledger.queue.why(runId));
  }

  listLimits() {
    return this.#ledger.limits.list();
  }

  setLimit(limit: LimitOptions): Promise<void> {
    return this.#ledger.limits.set(limit);
  }

  removeLimit(target: LimitTarget): Promise<boolean> {
    return this.#ledger.limits.remove(target);
  }

  listKeys(tenantId = ALL_TENANTS): Promise<readonly AccessKey[]> {
    return this.#ledger.store.access.listKeys({ tenantId });
  }

  async createKey({ tenantId = DEFAULT_TENANT, ...order }: desk.KeyOrder) {
    const { access, audit } = this.#ledger.store;
    const { key, text } = await createApiKey(access, { ...order, tenantId, createdBy: "command line" });
    await audit.recordAudit([administered("createKey", key)]);
    return { key, secret: text };
  }

  async revokeKey(keyId: string): Promise<AccessKey | null> {
    const { access, audit } = this.#ledger.store;
    const key = await access.revokeKey({ tenantId: ALL_TENANTS, keyId });
    if (key !== null) await audit.recordAudit([administered("revokeKey", key)]);
    return key;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#ledger.close();
  }

  #tenant() {
    const { tenantId } = this.#options;
    return tenantId === undefined ? {} : { tenantId };
  }
}

function standingOf(answer: QueueAnswer): desk.QueueStanding {
  const { runId, where } = answer;
  if (answer.where === "ended") {
    const nothing = { position: null, expectedAt: null, planId: "", planVersion: "", queuedAt: null, owner: null };
    return { runId, where, reasons: [answer.status], ...nothing };
  }
  const { position, expectedAt, entry } = answer;
  const { planId, planVersion, queuedAt, owner } = entry;
  return {
    runId,
    where,
    reasons: answer.reasons.map(reasonText),
    position,
    expectedAt,
    planId,
    planVersion,
    queuedAt,
    owner,
  };
}

function administered(action: string, { keyId, tenantId }: AccessKey) {
  const where = { requestId: "none", address: "command line" };
  return { tenantId, actor: "command line", action, target: keyId, outcome: "allowed", code: null, ...where } as const;
}
