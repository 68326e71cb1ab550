/** The HTTP server: the API, and what is said about it. */
import { StopError } from "@runledger/contracts";
import type { Ledger } from "../ledger/ledger.js";
import { AuditTrail } from "./access/audit-trail.js";
import { Identify, type AccessOptions } from "./access/identify.js";
import { hostsFor, isLoopback } from "./access/same-origin.js";
import { DEFAULT_PORT } from "./default-port.js";
import { Connections } from "./http/connections.js";
import { listenOn } from "./http/listen.js";
import { makeFastify, TIME_LIMIT_MS } from "./http/make-fastify.js";
import { RunLists } from "./runs/run-lists.js";
import { ListStreams, type ListStreamOptions } from "./streams/list-streams.js";
import { Readers, type ReaderOptions } from "./streams/readers.js";
import { RunStreams, type StreamOptions } from "./streams/run-streams.js";
import { withPublished, type WorkflowSource } from "./workflow-source.js";

export interface ServerOptions {
  readonly ledger: Ledger;
  readonly workflows: WorkflowSource;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 7373; 0 = any that is free. */
  readonly port?: number;
  /** Who may call it. */
  readonly access: AccessOptions;
  readonly streams?: StreamOptions & ListStreamOptions & ReaderOptions;
  /** How long a request may take to arrive, and then to be answered. Default 30 s. */
  readonly timeLimitMs?: number;
  /** What whoever runs the server should know, a line each. Never holds a secret. */
  readonly log?: (entry: LogEntry) => void;
}

export interface LogEntry {
  readonly level: "info" | "warn" | "error";
  readonly message: string;
  readonly requestId?: string;
  readonly error?: unknown;
}

/** How long requests that were begun may take once the server is being stopped. */
const GRACE_MS = 10_000;

/** A server that listens. `close` ends streams, finishes what was begun, and takes nothing new. */
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
    const onError = (error: unknown): void =>
      log({ level: "error", message: "something went wrong beside a request", error });
    const readers = new Readers(options.streams);
    const runLists = new RunLists(ledger.store);
    const runStreams = new RunStreams(ledger.store, { onError, ...options.streams });
    const listStreams = new ListStreams(runLists, { onError, ...options.streams });
    const { token, ...others } = options.access;
    const access = loopback && token !== undefined ? { ...others, token } : others;
    const identify = new Identify(ledger.store, access, { onError, loopback });
    const audit = new AuditTrail(ledger.store.audit, onError);
    const api = { ledger, workflows, identify, audit, readers, runLists, runStreams, listStreams, onError };
    const { timeLimitMs = TIME_LIMIT_MS } = options;
    const hosts = hostsFor(host, access.allowedHosts);
    const fastify = await makeFastify(api, { hosts, log, timeLimitMs });
    const connections = new Connections(fastify.server);
    const url = await listenOn(fastify, { host, port });
    return new Server(url, async () => {
      readers.close();
      runStreams.close();
      listStreams.close();
      connections.stop();
      const giveUp = setTimeout(() => fastify.server.closeAllConnections(), GRACE_MS);
      await fastify.close().finally(() => clearTimeout(giveUp));
      await audit.flush();
    });
  }

  close(): Promise<void> {
    return this.#close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Whoever can reach the server may call it: off this machine, that takes more than a file on it. */
function refuseOpenServer(host: string, loopback: boolean, { keys = false, jwt }: AccessOptions): void {
  if (loopback || keys || jwt !== undefined) return;
  const remedy = "Pass --auth keys, configure a JWT issuer, or listen on 127.0.0.1.";
  throw new StopError("LISTEN_REFUSED", `Others could reach ${host}, and nothing would ask who they are. ${remedy}`);
}
