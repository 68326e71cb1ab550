/** A user's project on a Temporal server: its database, its ledger, and the command line of its workers. */
import { readFileSync } from "node:fs";
import type { TemporalOptions } from "@runledger/engine-temporal";
import { connect, type CanonicalEngineEvent, type Ledger } from "runledger";
import { onTestFinished } from "vitest";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { freshProject, startRunledger, type Running, type Where } from "@runledger/test-support/runledger-command";

export interface TemporalProject extends Where {
  readonly url: string;
  readonly ledger: Ledger;
  /** Starts a worker, and waits until it polls. */
  worker(env?: Record<string, string>): Promise<Running>;
  events(runId: string): Promise<readonly CanonicalEngineEvent[]>;
  /** The number of events of this type. */
  count(runId: string, eventType: string): Promise<number>;
}

/** Creates the project with its own task queue and database. */
export async function temporalProject(taskQueue: string, engine: TemporalOptions): Promise<TemporalProject> {
  const database = await freshDatabase();
  const ledger = await connect(database.url);
  onTestFinished(async () => {
    await ledger.close();
    await database.drop();
  });
  const settings = { kind: "temporal", taskQueue, heartbeatTimeoutMs: 2000, ...engine };
  const config = `export default { workflows: ["./workflows.mjs"], engine: ${JSON.stringify(settings)} };`;
  const workflows = readFileSync(inRepository("tests/temporal/workflows.mjs"), "utf8");
  const cwd = freshProject({ "runledger.config.mjs": config, "workflows.mjs": workflows });
  const env = { RUNLEDGER_STORE: database.url, XDG_STATE_HOME: cwd };
  const events = (runId: string) => ledger.store.fetchEvents(runId, {});
  const project: TemporalProject = {
    cwd,
    env,
    url: database.url,
    ledger,
    events,
    worker: async (more = {}) => {
      const worker = startRunledger({ cwd, env: { ...env, ...more } }, "worker");
      await worker.says("Engine    temporal");
      return worker;
    },
    count: async (runId, eventType) => (await events(runId)).filter((event) => event.eventType === eventType).length,
  };
  return project;
}
