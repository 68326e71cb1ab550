/**
 * A store without queue and leases, as a ledger uses it. Runs start directly on a cluster, which also owns them: it has at
 * most one open execution per run. So appends carry no fence, and wake the execution instead of a row in a queue.
 */
import type {
  AlertStore,
  AppendOptions,
  AppendResult,
  ArtifactExpiry,
  CanonicalEngineEvent,
  DatasetIndex,
  FullStateStore,
  Leases,
  NewEvent,
  Plans,
  RunHead,
  RunSnapshot,
  StateStore,
  TenantStore,
} from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import type { Executions } from "../engine/engine.js";
import { setDirectStarts } from "../runs/direct-starts.js";
import { DirectQueue } from "./direct-queue.js";
import { missingPort, refused, type PortName } from "./missing-ports.js";

type Port<P extends PortName> = FullStateStore[P];

export class DirectStore implements FullStateStore {
  readonly queue: DirectQueue;
  readonly plans: Plans = knownPlans();
  readonly leases: Leases = noLeases;
  readonly alerts?: AlertStore;
  readonly datasets?: DatasetIndex;
  readonly expiry?: ArtifactExpiry;
  readonly #log: StateStore;
  readonly #executions: Executions;

  constructor(log: StateStore, executions: Executions) {
    this.#log = log;
    this.#executions = executions;
    if (log.alerts !== undefined) this.alerts = log.alerts;
    if (log.datasets !== undefined) this.datasets = log.datasets;
    if (log.expiry !== undefined) this.expiry = log.expiry;
    this.queue = new DirectQueue(log, executions);
    setDirectStarts(this, this.queue);
  }

  /**
   * The workflow of a finished child wakes its parent, because a cluster does not lose that. All others wake the run that
   * they have appended to.
   */
  async appendEvents(events: readonly NewEvent[], options: AppendOptions = {}): Promise<readonly AppendResult[]> {
    const { fence: _, ends = false, acts = false, wakes = [], enqueues: __, ...conditions } = options;
    const results = await this.#log.appendEvents(events, conditions);
    const woken = acts ? [events[0]!.runId, ...wakes] : wakes;
    if (!ends) await Promise.all(woken.map((runId) => this.#wake(runId)));
    return results;
  }

  /** The event is stored, and the execution also reads the log by itself. So a cluster that is down is no error here. */
  async #wake(runId: string): Promise<void> {
    await this.#executions.wake(runId).catch(() => {});
  }

  appendEvent(event: NewEvent): Promise<AppendResult> {
    return this.#log.appendEvent(event);
  }

  fetchEvents(...args: Parameters<StateStore["fetchEvents"]>): Promise<CanonicalEngineEvent[]> {
    return this.#log.fetchEvents(...args);
  }

  streamEvents(...args: Parameters<StateStore["streamEvents"]>): AsyncIterable<CanonicalEngineEvent> {
    return this.#log.streamEvents(...args);
  }

  fetchByKeys(...args: Parameters<StateStore["fetchByKeys"]>): Promise<CanonicalEngineEvent[]> {
    return this.#log.fetchByKeys(...args);
  }

  fetchHeads(runIds: readonly string[]): Promise<RunHead[]> {
    return this.#log.fetchHeads(runIds);
  }

  listHeads(...args: Parameters<StateStore["listHeads"]>): Promise<RunHead[]> {
    return this.#log.listHeads(...args);
  }

  getSnapshot(runId: string): Promise<RunSnapshot | null> {
    return this.#log.getSnapshot(runId);
  }

  projectSnapshot(runId: string): Promise<RunSnapshot> {
    return this.#log.projectSnapshot(runId);
  }

  forTenant(tenantId: string): TenantStore {
    return this.#log.forTenant(tenantId);
  }

  close(): Promise<void> {
    return this.#log.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get conflicts(): number {
    return this.#log.conflicts ?? 0;
  }

  get capabilities(): FullStateStore["capabilities"] {
    return this.#log.capabilities;
  }

  get snapshots(): FullStateStore["snapshots"] {
    return this.#log.snapshots;
  }

  get access(): Port<"access"> {
    return this.#port("access");
  }

  get archive(): Port<"archive"> {
    return this.#port("archive");
  }

  get artifacts(): Port<"artifacts"> {
    return this.#port("artifacts");
  }

  get audit(): Port<"audit"> {
    return this.#port("audit");
  }

  get checkpoints(): Port<"checkpoints"> {
    return this.#port("checkpoints");
  }

  get copies(): Port<"copies"> {
    return this.#port("copies");
  }

  get derived(): Port<"derived"> {
    return this.#port("derived");
  }

  get erasure(): Port<"erasure"> {
    return this.#port("erasure");
  }

  get feed(): Port<"feed"> {
    return this.#port("feed");
  }

  get index(): Port<"index"> {
    return this.#port("index");
  }

  get keyframes(): Port<"keyframes"> {
    return this.#port("keyframes");
  }

  get limits(): Port<"limits"> {
    return this.#port("limits");
  }

  get outbox(): Port<"outbox"> {
    return this.#port("outbox");
  }

  get retention(): Port<"retention"> {
    return this.#port("retention");
  }

  get schedules(): Port<"schedules"> {
    return this.#port("schedules");
  }

  get triggers(): Port<"triggers"> {
    return this.#port("triggers");
  }

  #port<P extends PortName>(name: P): NonNullable<StateStore[P]> {
    const port = this.#log[name];
    if (port === undefined || port === null) throw missingPort(name);
    return port;
  }
}

/** The plans that this process has started or can run. The store keeps none. */
function knownPlans(): Plans {
  const { plans } = new MemoryStore();
  return { ...plans, listUnserved: refused("plans") };
}

/** The cluster knows which workers live. */
const noLeases: Leases = {
  heartbeat: ({ ttlMs }) => {
    const now = Date.now();
    return Promise.resolve({ now: new Date(now).toISOString(), expiresAt: new Date(now + ttlMs).toISOString() });
  },
  acquireLeases: refused("leases"),
  releaseLeases: refused("leases"),
  retireWorker: refused("leases"),
  listWorkers: refused("leases"),
};
