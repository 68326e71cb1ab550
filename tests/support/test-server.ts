/** A server on a ledger of its own, gone with the test. */
import { connect, type Ledger, type Workflow } from "runledger";
import { RunledgerClient } from "@runledger/client";
import { onTestFinished } from "vitest";
import type { TokenCheck } from "../../packages/runledger/src/server/access/local-token.js";
import { Server, type LogEntry, type ServerOptions } from "../../packages/runledger/src/server/server.js";
import { projectWorkflows } from "../../packages/runledger/src/server/workflow-source.js";

export interface TestServer {
  readonly ledger: Ledger;
  readonly server: Server;
  readonly client: RunledgerClient;
  /** What the server has told whoever runs it. */
  readonly log: readonly LogEntry[];
  /** Below /api/v1. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
}

/** What the data directory's token would be. */
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
  const ledger = options.ledger ?? (await connect(store));
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
