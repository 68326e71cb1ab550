/** A desk that asks a server, over HTTP. */
import type { ActionName, QueuedRun, RunledgerClient } from "@runledger/client";
import {
  InputError,
  type AccessKey,
  type CanonicalEngineEvent,
  type Json,
  type Limit,
  type LimitTarget,
  type Plan,
  type RunSummary,
} from "@runledger/contracts";
import type { Action, RunState } from "@runledger/core";
import type { ForkPreview } from "../../ledger/fork-run.js";
import type { ListOptions } from "../../ledger/run-list.js";
import type { LimitOptions } from "../../queue/ledger-queue.js";
import { present } from "../../workflow/present.js";
import { missingWorker } from "../missing-worker.js";
import type * as desk from "./desk.js";
import { followStream } from "./follow-stream.js";
import { named } from "./named.js";
import { ServerSchedules } from "./server-schedules.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const EVENTS_AT_ONCE = 1000;

export class ServerDesk implements desk.Desk {
  readonly schedules: ServerSchedules;
  readonly #client: RunledgerClient;

  constructor(client: RunledgerClient) {
    this.#client = client;
    this.schedules = new ServerSchedules(client);
  }

  async start({ workflow: name, input, ...options }: desk.StartOrder): Promise<desk.Started> {
    return this.#client.startRun({
      ...named(name),
      ...(input === undefined ? {} : { input: input as Json }),
      ...options,
    });
  }

  async listRuns(filter: ListOptions, { limit, cursor }: desk.PageOrder): Promise<desk.ListedRuns> {
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
      this.#client.listRuns(present(query)),
      this.#client.listWorkers(),
    ]);
    const workers = found.map((worker) => ({ ...worker, seenAt: worker.lastHeartbeatAt }));
    const missing = (run: RunSummary) => missingWorker({ now, workers }, run);
    return { runs: items, cursor: next, missing };
  }

  follow(runId: string, enough: AbortSignal): AsyncGenerator<desk.Page> {
    return followStream(this.#client, runId, enough);
  }

  async *readEvents(runId: string): AsyncGenerator<readonly CanonicalEngineEvent[]> {
    for (let after = 0; ;) {
      const { items, next } = await this.#client.listEvents(runId, { after, limit: EVENTS_AT_ONCE });
      yield items;
      if (next === null) return;
      after = Number(next);
    }
  }

  async *readLogs(runId: string, order: desk.LogOrder): AsyncGenerator<readonly desk.PrintedLine[]> {
    const { stepId, attempt, follow, enough } = order;
    const which = { ...(stepId === undefined ? {} : { stepId }), ...(attempt === undefined ? {} : { attempt }) };
    if (follow) {
      for await (const line of this.#client.streamLogs(runId, { ...which, signal: enough })) yield [line];
      return;
    }
    for (let after: string | null | undefined; after !== null && !enough.aborted;) {
      const page = await this.#client.listLogs(runId, { ...which, ...(after === undefined ? {} : { after }) });
      yield page.items;
      after = page.items.length === 0 ? null : page.next;
    }
  }

  async planOf({ runId }: RunState): Promise<desk.KnownPlan | null> {
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

  /** Which step's it is stands in the event; that step may refer to another, or to a signal. */
  async outputOf({ runId }: RunState, { eventData }: CanonicalEngineEvent): Promise<Json | undefined> {
    let { output, outputFrom, signalId } = eventData as Given;
    while (outputFrom !== undefined) {
      const { events } = await this.#client.getStep(runId, outputFrom);
      const completed = events.findLast(({ eventType }) => eventType === "StepCompleted");
      ({ output = null, outputFrom, signalId } = (completed?.eventData ?? {}) as Given);
    }
    return signalId === undefined ? output : this.#payloadOf(runId, signalId);
  }

  async #payloadOf(runId: string, signalId: string): Promise<Json> {
    for await (const events of this.readEvents(runId)) {
      const found = events.find(
        ({ eventType, logicalAttemptId }) => eventType === "SignalAccepted" && logicalAttemptId === signalId,
      );
      if (found !== undefined) return (found.eventData as { readonly payload?: Json }).payload ?? null;
    }
    return null;
  }

  async act(runId: string, action: Action, { stepId, signalId, by }: desk.ActionSender): Promise<void> {
    refuseName(by);
    const said = { ...(stepId === undefined ? {} : { stepId }), ...(signalId === undefined ? {} : { signalId }) };
    await this.#client.act(runId, ACTIONS[action], said);
  }

  async signal(runId: string, name: string, payload: Json, { signalId, by }: desk.Sender): Promise<void> {
    refuseName(by);
    await this.#client.signal(runId, name, payload, ...(signalId === undefined ? [] : [signalId]));
  }

  async previewFork(runId: string, order: desk.ForkOrder): Promise<ForkPreview> {
    const { origin, workflow, version, kept, goesOn, runs } = await this.#client.forkRun(runId, {
      ...order,
      dryRun: true,
    });
    return { runId: origin.runId, seq: origin.seq, workflow, version, kept, goesOn, runs };
  }

  async fork(runId: string, order: desk.ForkOrder): Promise<desk.Started> {
    const { runId: id = "", workflow, version } = await this.#client.forkRun(runId, order);
    return { runId: id, workflow, version };
  }

  async diff(runId: string, otherRunId: string): Promise<desk.Comparison> {
    const { items, next, ...found } = await this.#client.diffRuns(runId, otherRunId, { limit: 1000 });
    const rows = [...items];
    for (let after = next; after !== null;) {
      const page = await this.#client.diffRuns(runId, otherRunId, { limit: 1000, after: Number(after) });
      rows.push(...page.items);
      after = page.next;
    }
    return { ...found, rows };
  }

  async listQueue({ after, limit }: desk.QueueOrder): Promise<desk.QueueListing> {
    const place = after === undefined ? {} : { after };
    const { items, next } = await this.#client.listQueue({ ...place, limit: Math.min(limit, 100) });
    return { items: items.map(standingOf), next };
  }

  async why(runId: string): Promise<desk.QueueStanding> {
    return standingOf(await this.#client.getQueuedRun(runId));
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
      const page = await this.#client.listKeys(after === undefined ? {} : { after });
      keys.push(...page.items);
      after = page.next;
    }
    return keys;
  }

  async createKey({ name, role, ttlMs }: desk.KeyOrder) {
    const expires = ttlMs === null ? {} : { expiresInDays: Math.ceil(ttlMs / DAY_MS) };
    return this.#client.createKey({ name, role, ...expires });
  }

  async revokeKey(keyId: string): Promise<AccessKey | null> {
    return this.#client.revokeKey(keyId);
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** What an event says of an output. */
interface Given {
  readonly output?: Json;
  readonly outputFrom?: string;
  readonly signalId?: string;
}

const ACTIONS = {
  APPROVE: "approve",
  PAUSE: "pause",
  RESUME: "resume",
  CANCEL: "cancel",
  RETRY_RUN: "retry",
  RETRY_STEP: "retry",
  SKIP_STEP: "skip",
} as const satisfies Record<Action, ActionName>;

/** Over HTTP the key says who it is. */
function refuseName(by: string | undefined): void {
  if (by === undefined) return;
  throw new InputError("OPTION_INVALID", "--by", "a server goes by the key; leave it out.");
}

function standingOf(run: QueuedRun): desk.QueueStanding {
  const { runId, where, reasons, position, expectedAt, planId, planVersion, queuedAt, owner } = run;
  const place = { position, expectedAt, planId, planVersion, queuedAt, owner };
  return { runId, where, reasons: reasons.map(({ text }) => text), ...place };
}
