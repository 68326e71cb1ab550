/** The HTTP server: API, reference, console, probes. */
import { StopError } from "@runledger/contracts";
import type { CacheSettings } from "@runledger/runtime/cache/open-cache";
import { internalsOf } from "@runledger/runtime/ledger/internals";
import type { Ledger } from "@runledger/runtime/ledger/ledger";
import { DEFAULT_AUDIT_DAYS, startPruning } from "../auth/audit-pruning.js";
import { AuditTrail } from "../auth/audit-trail.js";
import { Authenticator, type AccessOptions } from "../auth/authenticator.js";
import { hostsFor, isLoopback } from "../auth/same-origin.js";
import { withPublished, type WorkflowSource } from "../catalog/workflow-source.js";
import { Connections } from "../http/connections.js";
import { listenOn } from "../http/listen.js";
import { toProblem } from "../http/problems.js";
import type { QuotaOptions } from "../quotas/quota-options.js";
import { Quotas } from "../quotas/quotas.js";
import { ReadQueue } from "../quotas/read-queue.js";
import { SlowRefusals } from "../quotas/slow-refusals.js";
import { RunLists } from "../runs/run-lists.js";
import { ListStreams, type ListStreamOptions } from "../streams/list-streams.js";
import { OpenStreams, type OpenStreamOptions } from "../streams/open-streams.js";
import { RunStreams, type RunStreamOptions } from "../streams/run-streams.js";
import { concealedApi } from "./concealed-api.js";
import { DEFAULT_PORT } from "./default-port.js";
import type { LogEntry } from "./log-entry.js";
import { makeFastify, TIME_LIMIT_MS } from "./make-fastify.js";
import { RunCaches } from "./run-caches.js";

export interface ServerOptions {
  readonly ledger: Ledger;
  /** Workflows that callers can start. */
  readonly workflows: WorkflowSource;
  /** Address to listen on. Defaults to 127.0.0.1. */
  readonly host?: string;
  /** Defaults to 7373. 0 selects a free port. */
  readonly port?: number;
  /** Credentials that the server accepts. */
  readonly access: AccessOptions;
  /** Days that audit entries are kept. Defaults to 365. `null` keeps them forever. */
  readonly auditRetentionDays?: number | null;
  /** Limits per key, tenant and address. */
  readonly limits?: QuotaOptions;
  /** Cache through which runs are read. Default: 64 MB in this process. */
  readonly cache?: CacheSettings;
  /** Address of the UI of the platform that executes runs, such as Temporal's. The console links runs to it. */
  readonly engineUiUrl?: string;
  readonly streams?: RunStreamOptions & ListStreamOptions & OpenStreamOptions;
  /** Limit for a request to arrive, and then for its response. Defaults to 30 seconds. */
  readonly timeLimitMs?: number;
  /** Receives messages for the operator. They never contain secrets. */
  readonly log?: (entry: LogEntry) => void;
}

/** Time that open requests have to finish after `close`. */
const GRACE_MS = 10_000;

/** A listening server. `close` refuses new requests, closes streams and waits for open requests. */
export class Server implements AsyncDisposable {
  readonly url: string;
  readonly #close: () => Promise<void>;

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.#close = close;
  }

  static async start(options: ServerOptions): Promise<Server> {
    const { ledger, host = "127.0.0.1", port = DEFAULT_PORT, log = () => {} } = options;
    const loopback = isLoopback(host);
    const workflows = withPublished(options.workflows, ledger.store);
    refuseOpenServer(host, loopback, options.access);
    const onError = (error: unknown): void => log({ level: "error", message: "background task failed", error });
    const openStreams = new OpenStreams(options.streams);
    const runLists = new RunLists(ledger.store);
    const readQueue = new ReadQueue();
    const streamOptions: RunStreamOptions & ListStreamOptions = {
      onError,
      toProblem: (error) => toProblem(error, "stream"),
      ...options.streams,
    };
    const runStreams = new RunStreams(ledger.store, readQueue, streamOptions);
    const listStreams = new ListStreams(runLists, readQueue, streamOptions);
    const { token, ...others } = options.access;
    const access = loopback && token !== undefined ? { ...others, token } : others;
    const authenticator = new Authenticator(ledger.store, access, { onError, loopback });
    openStreams.watchKeys(async (keyId) => (await authenticator.keys.findValid(keyId)) !== null);
    const audit = new AuditTrail(ledger.store.audit, { onError });
    const quotas = new Quotas(options.limits);
    const streams = { openStreams, runLists, runStreams, listStreams };
    const slowRefusals = new SlowRefusals();
    const limits = { quotas, readQueue, slowRefusals };
    const { engineUiUrl } = options;
    const caches = await RunCaches.open(ledger, options.cache, log);
    const cachedRuns = caches.withPayloads();
    const shared = { ledger, workflows, authenticator, audit, cachedRuns, onError };
    const services = { ...shared, ...limits, ...streams, engineUiUrl };
    const concealed = concealedApi(services, caches, streamOptions);
    const api = concealed === null ? services : { ...services, concealed };
    const { timeLimitMs = TIME_LIMIT_MS } = options;
    const hosts = hostsFor(host, access.allowedHosts);
    const { trustProxy } = access;
    const fastify = await makeFastify(api, { hosts, log, timeLimitMs, trustProxy });
    const connections = new Connections(fastify.server);
    internalsOf(ledger).watchLag();
    internalsOf(ledger).addWorkflows(({ id, version, tenantId }) => workflows.find(id, version, tenantId));
    const url = await listenOn(fastify, { host, port });
    const { auditRetentionDays = DEFAULT_AUDIT_DAYS } = options;
    const stopPruning = startPruning(ledger.store, auditRetentionDays, onError);
    return new Server(url, async () => {
      openStreams.close();
      for (const one of concealed === null ? [services] : [services, concealed]) {
        one.runStreams.close();
        one.listStreams.close();
      }
      connections.stop();
      const deadline = setTimeout(() => fastify.server.closeAllConnections(), GRACE_MS);
      await fastify.close().finally(() => clearTimeout(deadline));
      await audit.close();
      await caches.close();
      await stopPruning();
    });
  }

  close(): Promise<void> {
    return this.#close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** A server that other machines can reach needs authentication. The local token is valid only on loopback. */
function refuseOpenServer(host: string, loopback: boolean, { keys = false, jwt }: AccessOptions): void {
  if (loopback || keys || jwt !== undefined) return;
  const remedy = "Pass --auth keys, configure a JWT issuer, or listen on 127.0.0.1.";
  throw new StopError("LISTEN_REFUSED", `Refusing to listen on ${host} without authentication. ${remedy}`);
}
