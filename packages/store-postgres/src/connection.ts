/** A connection of the pool, with what the driver does not report about it. */
import { once } from "node:events";
import type { Socket } from "node:net";
import { Client, type ClientConfig } from "pg";
import { RunledgerError } from "@runledger/contracts";
import { isReadOnlyError, isSqlState, readOnlyError } from "./errors.js";

export interface ConnectionConfig extends ClientConfig {
  /** Time limits in milliseconds: of the server for each statement, and for a server that does not respond. */
  readonly limits: { readonly statement: number; readonly silence: number };
}

/** Settings that the server reports when a connection opens, and whenever they change. */
const READ_ONLY_SETTINGS = ["in_hot_standby", "default_transaction_read_only"];

interface ReportedSetting {
  readonly parameterName: string;
  readonly parameterValue: string;
}

/**
 * The server ends an idle session whose client has not responded for 15 seconds; its own default is two hours. It also
 * ends a session whose last packet was not acknowledged for 30 seconds: such a connection is not idle and not probed.
 */
const SERVER_KEEP_ALIVE = {
  tcp_keepalives_idle: 5,
  tcp_keepalives_interval: 2,
  tcp_keepalives_count: 5,
  tcp_user_timeout: 30_000,
};

/**
 * Limits statements by the server as well: a client that is suspended cannot give up its statement. A transaction pooler
 * hands each transaction to any server connection, where settings and named statements break. Its fake process id
 * reveals it.
 */
const PREPARE = `SELECT set_config('statement_timeout', $1, false), ${Object.entries(SERVER_KEEP_ALIVE)
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(", ")} WHERE pg_backend_pid() = $2`;

/** Starts TCP probes on an idle connection. The system gives up after ten probes, one per second. */
const KEEP_ALIVE_MS = 4000;

export class ServerConnection extends Client {
  declare readonly processID: number | null;
  /** `false` behind a transaction pooler. */
  isDirect = false;
  readonly #limits: ConnectionConfig["limits"];
  readonly #on = new Set<string>();

  constructor(config: ConnectionConfig) {
    const { silence } = config.limits;
    super({
      ...config,
      connectionTimeoutMillis: silence,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    });
    this.#limits = config.limits;
    this.on("error", ignore); // the caller that waits for a result gets it; an unhandled event would end the process
    this.connection.on("parameterStatus", ({ parameterName, parameterValue }: ReportedSetting) => {
      if (parameterValue === "on") this.#on.add(parameterName);
      else this.#on.delete(parameterName);
    });
  }

  /** Refuses a read-only server, and limits the time of statements. */
  async prepare(): Promise<void> {
    if (this.isReadOnly) throw readOnlyError();
    const { statement, silence } = this.#limits;
    const timer = setTimeout(() => this.destroy(new Error(`no response within ${silence} ms`)), silence);
    try {
      this.isDirect = (await this.query(PREPARE, [String(statement), this.processID])).rowCount === 1;
    } finally {
      clearTimeout(timer);
    }
  }

  /** `true` if the server is a standby or refuses writes by default. Behind some poolers only a write shows it. */
  get isReadOnly(): boolean {
    return READ_ONLY_SETTINGS.some((name) => this.#on.has(name));
  }

  get bytesRead(): number {
    return (this.connection.stream as Socket).bytesRead;
  }

  get bytesWritten(): number {
    return (this.connection.stream as Socket).bytesWritten;
  }

  /** `true` while a part of the statement has not been handed to the system yet. */
  get isSending(): boolean {
    return this.connection.stream.writableLength > 0;
  }

  /** Ends the connection without waiting for the server. Statements in progress fail with the error. */
  destroy(error?: Error): void {
    this.connection.stream.destroy(error);
  }

  /**
   * Returns `true` if the session ended with the error: the connection broke, or the server reported FATAL or PANIC.
   * After any other error the server reports that it is ready again. The severity cannot decide this: servers translate
   * it.
   */
  async endedWith(failure: unknown): Promise<boolean> {
    if (failure instanceof RunledgerError) return false; // thrown by the work itself
    if (!isSqlState((failure as { code?: string }).code ?? "")) return true;
    const { connection, readyForQuery } = this as unknown as Client & { readonly readyForQuery: boolean };
    if (readyForQuery || connection.stream.destroyed) return !readyForQuery;
    const settled = new AbortController();
    const on = (event: string): Promise<unknown> => once(connection, event, { signal: settled.signal });
    const ended = await Promise.race([on("readyForQuery").then(no, yes), on("end").then(yes, yes)]);
    settled.abort();
    return ended;
  }

  /** Returns `true` if a later statement must not use this connection. */
  mustGo(error: unknown, ended: boolean): boolean {
    return ended || this.isReadOnly || isReadOnlyError(error);
  }
}

const yes = (): boolean => true;
const no = (): boolean => false;
function ignore(): void {}
