/** Backend that works on a store directly, and uses the project's workflows if there is a project. */
import {
  ALL_TENANTS,
  DEFAULT_TENANT,
  InputError,
  omitUndefined,
  RunNotFoundError,
  type AccessKey,
  type CanonicalEngineEvent,
  type Json,
  type LimitTarget,
  type RunHead,
  type RunHeader,
  type StepRow,
} from "@runledger/contracts";
import type { Action, RunState } from "@runledger/core";
import { internalsOf } from "@runledger/runtime/ledger/internals";
import type { Ledger } from "@runledger/runtime/ledger/ledger";
import { previewAction } from "@runledger/runtime/ledger/preview-action";
import type { ListOptions } from "@runledger/runtime/ledger/run-list";
import { attemptEvents } from "@runledger/runtime/runs/attempt-events";
import { loadState } from "@runledger/runtime/runs/load-state";
import { readRun, readStep, readSteps } from "@runledger/runtime/runs/read-run";
import type { LimitOptions, QueueAnswer } from "@runledger/runtime/queue/ledger-queue";
import { reasonText } from "@runledger/runtime/queue/reason-text";
import { compareRuns } from "@runledger/runtime/runs/compare-runs";
import { createApiKey } from "@runledger/server/setup";
import type { Project } from "../../config/load-project.js";
import { compiledOf } from "@runledger/runtime/workflow/compiled-workflow";
import { jsonSchemaOf } from "@runledger/runtime/workflow/schema";
import { followStore } from "./follow-store.js";
import { explainMissingInput } from "./missing-input.js";
import { missingWorker } from "./missing-worker.js";
import { chooseWorkflow, workflowOf } from "./choose-workflow.js";
import type * as backend from "./backend.js";
import { followStoreLogs } from "./follow-store-logs.js";
import { StoreCatalogBackend } from "./store-catalog-backend.js";
import { StoreOutboxBackend } from "./store-outbox-backend.js";
import { StoreScheduleBackend } from "./store-schedule-backend.js";
import { StorePartitionBackend } from "./store-partition-backend.js";
import { StoreDatasetBackend } from "./store-dataset-backend.js";
import { StoreTriggerBackend } from "./store-trigger-backend.js";
import { auditEntry } from "./audit-entry.js";
import { userName } from "./user-name.js";

export interface StoreBackendOptions {
  readonly ledger: Ledger;
  /** `null` if there is no project, or it cannot be loaded. */
  readonly project: () => Promise<Project | null>;
  /** Throws if there is no project, or it cannot be loaded. */
  readonly requireProject: () => Promise<Project>;
  readonly tenantId: string | undefined;
}

export class StoreBackend implements backend.Backend {
  readonly schedules: StoreScheduleBackend;
  readonly catalog: StoreCatalogBackend;
  readonly outbox: StoreOutboxBackend;
  readonly triggers: StoreTriggerBackend;
  readonly partitions: StorePartitionBackend;
  readonly datasets: StoreDatasetBackend;
  readonly #ledger: Ledger;
  readonly #options: StoreBackendOptions;

  constructor(options: StoreBackendOptions) {
    this.#ledger = options.ledger;
    this.#options = options;
    this.schedules = new StoreScheduleBackend(options);
    this.catalog = new StoreCatalogBackend(options);
    this.outbox = new StoreOutboxBackend(options);
    this.triggers = new StoreTriggerBackend(options);
    this.partitions = new StorePartitionBackend(options);
    this.datasets = new StoreDatasetBackend(options);
  }

  async start({ workflow: name, input, ...options }: backend.StartParams): Promise<backend.StartedRun> {
    const workflow = chooseWorkflow(await this.#options.requireProject(), name);
    const { startCompiled } = internalsOf(this.#ledger);
    const start = { ...this.#tenant(), ...options, by: userName() };
    const compiled = compiledOf(workflow);
    const schema = () => Promise.resolve(jsonSchemaOf(compiled.input));
    const { runId } = await startCompiled(compiled, input, start).catch(async (error: unknown) => {
      throw await explainMissingInput(error, { workflow: workflow.id, input, schema });
    });
    return { runId, workflow: workflow.id, version: workflow.version };
  }

  async listRuns(filter: ListOptions, page: backend.PageParams): Promise<backend.RunListing> {
    const { runs, cursor } = await this.#ledger.list(filter).page(page);
    const workers = await this.#ledger.store.leases.listWorkers();
    return { runs, cursor, missingWorker: (run) => missingWorker(workers, run) };
  }

  follow(runId: string, signal: AbortSignal): AsyncGenerator<backend.EventPage> {
    return followStore(this.#ledger.store, runId, signal);
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

  readLogs(runId: string, params: backend.LogParams): AsyncGenerator<readonly backend.LogLine[]> {
    return followStoreLogs(this.#ledger.store, runId, params);
  }

  /** Prefers the project's workflow, which has signal schemas; the store has the plan of every started run. */
  async planOf(state: RunState): Promise<backend.KnownPlan | null> {
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

  async getRun(runId: string): Promise<RunHeader> {
    return readRun(this.#ledger.store, await this.#head(runId));
  }

  async listSteps(runId: string, { after, limit }: backend.StepsParams): Promise<readonly StepRow[]> {
    return readSteps(this.#ledger.store, await this.#head(runId), { afterOrdinal: after, limit });
  }

  async getStep(runId: string, stepId: string): Promise<backend.StepAttempts> {
    const { store } = this.#ledger;
    const head = await this.#head(runId);
    const step = await readStep(store, head, stepId);
    if (step === undefined) throw new InputError("STEP_NOT_FOUND", "stepId", `${stepId} has not started in ${runId}.`);
    return { step, events: await attemptEvents(store.forTenant(head.tenantId), runId, step) };
  }

  async previewAction(runId: string, action: Action, { stepId, by = userName() }: backend.ActionSender) {
    return previewAction(this.#ledger, { runId, action, stepId, by });
  }

  async act(runId: string, action: Action, sender: backend.ActionSender): Promise<void> {
    await this.#ledger.act(runId, action, { ...sender, by: sender.by ?? userName() });
  }

  /** If the project has the run's workflow, its schema checks the payload before it is sent. */
  async signal(runId: string, name: string, payload: Json, sender: backend.Sender): Promise<void> {
    const workflow = workflowOf(await this.#options.project(), await loadState(this.#ledger.store, runId));
    const options = { ...sender, by: sender.by ?? userName() };
    if (workflow === null) return this.#ledger.signal(runId, name, payload, options);
    await (await this.#ledger.get(workflow, runId)).signal(name as never, payload, options);
  }

  async previewFork(runId: string, params: backend.ForkParams) {
    return this.#ledger.previewFork(runId, await this.#forkOptions(runId, params));
  }

  async fork(runId: string, params: backend.ForkParams): Promise<backend.StartedRun> {
    const wanted = await this.#forkOptions(runId, params);
    const { workflow, version } = await this.#ledger.previewFork(runId, wanted);
    const { id } = await this.#ledger.fork(runId, { ...wanted, by: userName() });
    return { runId: id, workflow, version };
  }

  /** If the project has the version, its schema checks the input before the fork starts. */
  async #forkOptions(runId: string, { version: wanted, ...params }: backend.ForkParams) {
    const { planId, planVersion } = (await loadState(this.#ledger.store, runId)).details;
    const version = wanted ?? planVersion;
    const known = (await this.#options.project())?.workflows.map(({ workflow }) => workflow) ?? [];
    const found = known.find((workflow) => workflow.id === planId && workflow.version === version) ?? version;
    return found === undefined ? params : { ...params, version: found };
  }

  async diff(runId: string, otherRunId: string): Promise<backend.Comparison> {
    const heads = [await this.#head(runId), await this.#head(otherRunId)] as const;
    const { store } = this.#ledger;
    return compareRuns(store, store.forTenant(heads[0].tenantId), heads);
  }

  /** An erasure that cannot be recorded does not happen. */
  async erase(runId: string, reason: string) {
    const { tenantId } = await this.#head(runId);
    await this.#ledger.store.audit.recordAudit([auditEntry("eraseRun", tenantId, runId)]);
    return this.#ledger.erasure.run(runId, { reason, by: userName() });
  }

  async #head(runId: string): Promise<RunHead> {
    const [head] = await this.#ledger.store.fetchHeads([runId]);
    if (head === undefined) throw new RunNotFoundError(runId);
    return head;
  }

  async listQueue({ tenantId, after, limit }: backend.QueueParams): Promise<backend.QueueListing> {
    const filter = omitUndefined({ tenantId, afterRunId: after });
    const entries = await this.#ledger.queue.list({ ...filter, limit: limit + 1 });
    const page = entries.slice(0, limit);
    const items = await Promise.all(page.map(({ runId }) => this.why(runId)));
    return {
      items: items.filter(({ where }) => where !== "ended"),
      next: entries.length > limit ? page.at(-1)!.runId : null,
    };
  }

  async why(runId: string): Promise<backend.QueueStatus> {
    return queueStatusOf(await this.#ledger.queue.why(runId));
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

  async createKey({ tenantId = DEFAULT_TENANT, ...params }: backend.KeyParams) {
    const { access, audit } = this.#ledger.store;
    const { key, text } = await createApiKey(access, { ...params, tenantId, createdBy: "command line" });
    await audit.recordAudit([auditEntry("createKey", key.tenantId, key.keyId)]);
    return { key, secret: text };
  }

  async revokeKey(keyId: string): Promise<AccessKey | null> {
    const { access, audit } = this.#ledger.store;
    const key = await access.revokeKey({ tenantId: ALL_TENANTS, keyId });
    if (key !== null) await audit.recordAudit([auditEntry("revokeKey", key.tenantId, key.keyId)]);
    return key;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#ledger.close();
  }

  #tenant() {
    const { tenantId } = this.#options;
    return omitUndefined({ tenantId });
  }
}

function queueStatusOf(answer: QueueAnswer): backend.QueueStatus {
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
