/** The console as a person meets it: a real server on a real database, with workers and a projector, in a browser. */
import { connect, type Ledger, type Workflow } from "runledger";
import { RunledgerClient } from "@runledger/client";
import { afterAll, beforeAll } from "vitest";
import { Server } from "../../../packages/runledger/src/server/server.js";
import { projectWorkflows } from "../../../packages/runledger/src/server/workflow-source.js";
import { fixedToken, TOKEN } from "../../support/test-server.js";
import { logIn } from "./session.js";
import { freshDatabase } from "../../support/fresh-database.js";

type AnyWorkflow = Workflow<never, unknown, unknown>;

export interface Site {
  readonly url: string;
  readonly databaseUrl: string;
  readonly ledger: Ledger;
  readonly projector: { stop(): Promise<void> };
  readonly client: RunledgerClient;
  /** A further server of the same ledger, to be closed by whoever starts it. */
  serve(port?: number): Promise<Server>;
}

interface SiteOptions {
  /** What is in the database before the server starts. */
  readonly fill?: (databaseUrl: string) => Promise<void>;
  /** How long that may take. */
  readonly timeout?: number;
}

/** Filled before the first test of the file. */
export function site(workflows: readonly AnyWorkflow[], { fill, timeout }: SiteOptions = {}): Site {
  const stops: (() => Promise<unknown>)[] = [];
  const parts: { -readonly [K in keyof Site]?: Site[K] } = {};
  beforeAll(async () => {
    const database = await freshDatabase();
    stops.unshift(() => database.drop());
    await fill?.(database.url);
    const ledger = await connect(database.url);
    stops.unshift(() => ledger.close());
    const projector = ledger.projector();
    stops.unshift(() => projector.stop());
    await ledger.worker({ workflows });
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
