/** Backend that calls a server over HTTP. */
import type { ActionName, QueuedRun, RunledgerClient } from "@runledger/client";
import {
  InputError,
  omitUndefined,
  type AccessKey,
  type CanonicalEngineEvent,
  type Json,
  type Limit,
  type LimitTarget,
  type Plan,
  type RunHeader,
  type StepRow,
} from "@runledger/contracts";
import type { Action, RunState } from "@runledger/core";
import type { ForkPreview } from "@runledger/runtime/runs/fork-run";
import type { ListOptions } from "@runledger/runtime/ledger/run-list";
import type { LimitOptions } from "@runledger/runtime/queue/ledger-queue";
import { explainMissingInput } from "./missing-input.js";
import { missingWorker } from "./missing-worker.js";
import type * as backend from "./backend.js";
import { followStream } from "./follow-stream.js";
import { parseWorkflowReference } from "./workflow-reference.js";
import { ServerCatalogBackend } from "./server-catalog-backend.js";
import { ServerOutboxBackend } from "./server-outbox-backend.js";
import { ServerPartitionBackend } from "./server-partition-backend.js";
import { ServerDatasetBackend } from "./server-dataset-backend.js";
import { ServerTriggerBackend } from "./server-trigger-backend.js";
import { ServerScheduleBackend } from "./server-schedule-backend.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const EVENTS_PER_PAGE = 1000;

export class ServerBackend implements backend.Backend {
  readonly schedules: ServerScheduleBackend;
  readonly catalog: ServerCatalogBackend;
  readonly outbox: ServerOutboxBackend;
  readonly triggers: ServerTriggerBackend;
  readonly partitions: ServerPartitionBackend;
  readonly datasets: ServerDatasetBackend;
  readonly #client: RunledgerClient;

  constructor(client: RunledgerClient) {
    this.#client = client;
    this.schedules = new ServerScheduleBackend(client);
    this.catalog = new ServerCatalogBackend(client);
    this.outbox = new ServerOutboxBackend(client);
    this.triggers = new ServerTriggerBackend(client);
    this.partitions = new ServerPartitionBackend(client);
    this.datasets = new ServerDatasetBackend(client);
  }

  async start({ workflow: name, input, ...options }: backend.StartParams): Promise<backend.StartedRun> {
    const { workflow, version } = parseWorkflowReference(name);
    const which = { workflow, ...omitUndefined({ version }) };
    const schema = async () => (await this.#client.getWorkflow(workflow)).plan.inputSchema ?? null;
    return this.#client
      .startRun({ ...which, ...omitUndefined({ input: input as Json }), ...options })
      .catch(async (error: unknown) => {
        throw await explainMissingInput(error, { workflow, input, schema });
      });
  }

  async listRuns(filter: ListOptions, { limit, cursor }: backend.PageParams): Promise<backend.RunListing> {
    const { status, workflow, version, labels, error, since, until, projectId, environmentId, parent, schedule } =
      filter;
    const query = {
      status: status === undefined ? undefined : [status].flat(),
      workflow,
      version,
      labels,
      error,
      parent,
      schedule,
      createdFrom: since === undefined ? undefined : new Date(since).toISOString(),
      createdTo: until === undefined ? undefined : new Date(until).toISOString(),
      project: projectId,
      environment: environmentId,
      after: cursor,
      limit: Math.min(limit, 200),
    };
    const [{ items, next }, { now, items: found }] = await Promise.all([
      this.#client.listRuns(omitUndefined(query)),
      this.#client.listWorkers(),
    ]);
    const workers = found.map((worker) => ({ ...worker, seenAt: worker.lastHeartbeatAt }));
    return { runs: items, cursor: next, missingWorker: (run) => missingWorker({ now, workers }, run) };
  }

  follow(runId: string, signal: AbortSignal): AsyncGenerator<backend.EventPage> {
    return followStream(this.#client, runId, signal);
  }

  async *readEvents(runId: string): AsyncGenerator<readonly CanonicalEngineEvent[]> {
    for (let after = 0; ;) {
      const { items, next } = await this.#client.listEvents(runId, { after, limit: EVENTS_PER_PAGE });
      yield items;
      if (next === null) return;
      after = Number(next);
    }
  }

  async *readLogs(runId: string, params: backend.LogParams): AsyncGenerator<readonly backend.LogLine[]> {
    const { stepId, attempt, follow, signal } = params;
    const which = omitUndefined({ stepId, attempt });
    if (follow) {
      for await (const line of this.#client.streamLogs(runId, { ...which, signal })) yield [line];
      return;
    }
    for (let after: string | null | undefined; after !== null && !signal.aborted;) {
      const page = await this.#client.listLogs(runId, { ...which, ...omitUndefined({ after }) });
      yield page.items;
      after = page.items.length === 0 ? null : page.next;
    }
  }

  async planOf({ runId }: RunState): Promise<backend.KnownPlan | null> {
    try {
      const { signalSchemas, inputSchema: _, ...plan } = await this.#client.getRunPlan(runId);
      return { plan: plan as unknown as Plan, signalSchema: (name) => signalSchemas[name] ?? null };
    } catch (error) {
      if ((error as { code?: string }).code === "WORKFLOW_NOT_FOUND") return null;
      throw error;
    }
  }

  async missingWorker({ runId }: RunState): Promise<string | null> {
    const { reasons } = await this.#client.getQueuedRun(runId);
    return reasons.find(({ kind }) => kind === "worker")?.text ?? null;
  }

  async getRun(runId: string): Promise<RunHeader> {
    return this.#client.getRun(runId);
  }

  async listSteps(runId: string, { after, limit }: backend.StepsParams): Promise<readonly StepRow[]> {
    const { items } = await this.#client.listSteps(runId, { limit, ...(after < 0 ? {} : { after }) });
    return items;
  }

  async getStep(runId: string, stepId: string): Promise<backend.StepAttempts> {
    return this.#client.getStep(runId, stepId);
  }

  async previewAction(runId: string, action: Action, { stepId }: backend.ActionSender) {
    return this.#client.act(runId, ACTIONS[action], { dryRun: true, ...omitUndefined({ stepId }) });
  }

  async act(runId: string, action: Action, { stepId, signalId, by }: backend.ActionSender): Promise<void> {
    refuseSenderName(by);
    const options = omitUndefined({ stepId, signalId });
    await this.#client.act(runId, ACTIONS[action], options);
  }

  async signal(runId: string, name: string, payload: Json, { signalId, by }: backend.Sender): Promise<void> {
    refuseSenderName(by);
    await this.#client.signal(runId, name, payload, ...(signalId === undefined ? [] : [signalId]));
  }

  async previewFork(runId: string, params: backend.ForkParams): Promise<ForkPreview> {
    const { origin, workflow, version, kept, goesOn, runs } = await this.#client.forkRun(runId, {
      ...params,
      dryRun: true,
    });
    return { runId: origin.runId, seq: origin.seq, workflow, version, kept, goesOn, runs };
  }

  async fork(runId: string, params: backend.ForkParams): Promise<backend.StartedRun> {
    const { runId: id = "", workflow, version } = await this.#client.forkRun(runId, params);
    return { runId: id, workflow, version };
  }

  erase(runId: string, reason: string) {
    return this.#client.eraseRun(runId, { reason });
  }

  async diff(runId: string, otherRunId: string): Promise<backend.Comparison> {
    const { items, next, ...found } = await this.#client.diffRuns(runId, otherRunId, { limit: 1000 });
    const rows = [...items];
    for (let after = next; after !== null;) {
      const page = await this.#client.diffRuns(runId, otherRunId, { limit: 1000, after: Number(after) });
      rows.push(...page.items);
      after = page.next;
    }
    return { ...found, rows };
  }

  async listQueue({ after, limit }: backend.QueueParams): Promise<backend.QueueListing> {
    const place = omitUndefined({ after });
    const { items, next } = await this.#client.listQueue({ ...place, limit: Math.min(limit, 100) });
    return { items: items.map(queueStatusOf), next };
  }

  async why(runId: string): Promise<backend.QueueStatus> {
    return queueStatusOf(await this.#client.getQueuedRun(runId));
  }

  async listLimits(): Promise<readonly Limit[]> {
    return (await this.#client.listLimits()).items;
  }

  async setLimit(limit: LimitOptions): Promise<void> {
    await this.#client.setLimit(limit);
  }

  async removeLimit({ scope, subject }: LimitTarget): Promise<boolean> {
    return (await this.#client.removeLimit({ scope, subject })).removed;
  }

  async listKeys(): Promise<readonly AccessKey[]> {
    const keys: AccessKey[] = [];
    for (let after: string | null | undefined; after !== null;) {
      const page = await this.#client.listKeys(omitUndefined({ after }));
      keys.push(...page.items);
      after = page.next;
    }
    return keys;
  }

  async createKey({ name, role, ttlMs }: backend.KeyParams) {
    const expires = ttlMs === null ? {} : { expiresInDays: Math.ceil(ttlMs / DAY_MS) };
    return this.#client.createKey({ name, role, ...expires });
  }

  async revokeKey(keyId: string): Promise<AccessKey | null> {
    return this.#client.revokeKey(keyId);
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

const ACTIONS = {
  APPROVE: "approve",
  PAUSE: "pause",
  RESUME: "resume",
  CANCEL: "cancel",
  RETRY_RUN: "retry",
  RETRY_STEP: "retry",
  SKIP_STEP: "skip",
  COMPENSATE: "compensate",
} as const satisfies Record<Action, ActionName>;

/** A server identifies the sender by its key. */
function refuseSenderName(by: string | undefined): void {
  if (by === undefined) return;
  throw new InputError("OPTION_INVALID", "--by", "a server takes the sender from the API key. Remove --by.");
}

function queueStatusOf(run: QueuedRun): backend.QueueStatus {
  const { runId, where, reasons, position, expectedAt, planId, planVersion, queuedAt, owner } = run;
  const place = { position, expectedAt, planId, planVersion, queuedAt, owner };
  return { runId, where, reasons: reasons.map(({ text }) => text), ...place };
}
