/** A server on its own ledger, closed after the test. */
import { connect, openMetrics, type Ledger, type Workflow } from "runledger";
import { RunledgerClient } from "@runledger/client";
import { onTestFinished } from "vitest";
import { projectWorkflows, Server, type LogEntry, type ServerOptions, type TokenCheck } from "@runledger/server";

export interface TestServer {
  readonly ledger: Ledger;
  readonly server: Server;
  readonly client: RunledgerClient;
  /** The log entries of the server. */
  readonly log: readonly LogEntry[];
  /** Below /api/v1. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
}

/** The token, which is otherwise in the data directory. */
export const TOKEN = "rlt_of-the-test";

export function fixedToken(value: string): TokenCheck {
  return { matches: async (candidate) => candidate === value, fingerprint: async () => `fingerprint-${value.length}` };
}

type AnyWorkflow = Workflow<never, unknown, unknown>;

export async function testServer(
  workflows: readonly AnyWorkflow[],
  { store = "memory:", ...options }: { store?: string } & Partial<ServerOptions> = {},
): Promise<TestServer> {
  const log: LogEntry[] = [];
  const ledger = options.ledger ?? (await connect(store, { metrics: await openMetrics() }));
  const server = await Server.start({
    ledger,
    workflows: projectWorkflows(() => workflows),
    port: 0,
    access: { token: fixedToken(TOKEN) },
    log: (entry) => void log.push(entry),
    ...options,
  });
  onTestFinished(async () => {
    await server.close();
    if (options.ledger === undefined) await ledger.close();
  });
  const client = new RunledgerClient({ url: server.url, token: TOKEN });
  const call: TestServer["call"] = (method, path, body, headers = {}) =>
    fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  return { ledger, server, client, log, call };
}
