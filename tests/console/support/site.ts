/** The console in a real browser, with a real server, database, workers and projector. */
import { connect, openMetrics, type Ledger, type Workflow } from "runledger";
import { RunledgerClient } from "@runledger/client";
import { afterAll, beforeAll } from "vitest";
import { projectWorkflows, Server } from "@runledger/server";
import { fixedToken, TOKEN } from "@runledger/test-support/test-server";
import { logIn } from "./session.js";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { repaired } from "./workflows.js";

type AnyWorkflow = Workflow<never, unknown, unknown>;

export interface Site {
  readonly url: string;
  readonly databaseUrl: string;
  readonly ledger: Ledger;
  readonly projector: { stop(): Promise<void> };
  readonly client: RunledgerClient;
  /** Starts another server for the same ledger. The caller closes it. */
  serve(port?: number): Promise<Server>;
}

interface SiteOptions {
  /** Fills the database before the server starts. */
  readonly fill?: (databaseUrl: string) => Promise<void>;
  /** The time limit for `fill`. */
  readonly timeout?: number;
  /** Keys that encrypt payloads. Default: nothing is encrypted. */
  readonly keys?: string;
  /** The append authority of the database. No worker starts unless it is the default. */
  readonly authority?: "sequence";
  /** Location of artifacts, called after the hooks before. Default: the store. */
  readonly artifacts?: () => string;
}

/** Set before the first test of the file. */
export function site(workflows: readonly AnyWorkflow[], options: SiteOptions = {}): Site {
  const { fill, timeout, keys, authority, artifacts } = options;
  const stops: (() => Promise<unknown>)[] = [];
  const parts: { -readonly [K in keyof Site]?: Site[K] } = {};
  beforeAll(async () => {
    repaired.invoices = false; // files share a process, and another file may have repaired it
    const database = await freshDatabase({ migrated: authority === undefined });
    stops.unshift(() => database.drop());
    await fill?.(database.url);
    const metrics = await openMetrics(); // like `serve`
    const storeUrl = authority === undefined ? database.url : `${database.url}?authority=${authority}`;
    const encryption = keys === undefined ? undefined : { keys };
    const ledger = await connect(storeUrl, { metrics, encryption, artifacts: artifacts?.() });
    stops.unshift(() => ledger.close());
    const projector = ledger.projector(authority === undefined ? {} : { settleAfterMs: Infinity }); // a test settles gaps
    stops.unshift(() => projector.stop());
    if (authority === undefined) await ledger.worker({ workflows });
    const serve = (port = 0): Promise<Server> =>
      Server.start({
        ledger,
        workflows: projectWorkflows(() => workflows),
        port,
        access: { token: fixedToken(TOKEN) },
      });
    const server = await serve();
    await logIn(server.url);
    stops.unshift(() => server.close());
    const client = new RunledgerClient({ url: server.url, token: TOKEN });
    Object.assign(parts, { url: server.url, databaseUrl: database.url, ledger, projector, client, serve });
  }, timeout);
  afterAll(async () => {
    for (const stop of stops) await stop();
  });
  return parts as Site;
}
