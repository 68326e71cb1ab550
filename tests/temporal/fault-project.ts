/** A project with a database, for tests that start, suspend and kill workers of a Temporal cluster. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type CanonicalEngineEvent, type Ledger } from "runledger";
import { onTestFinished } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import {
  freshProject,
  runledger,
  type Running,
  startRunledger,
  type Where,
} from "@runledger/test-support/runledger-command";
import { until } from "@runledger/test-support/until";

export interface ProjectOptions {
  readonly address: string;
  readonly taskQueue: string;
  /** Source of `flow.mjs`, which exports workflows. */
  readonly source: string;
  /** More files of the project. */
  readonly files?: Readonly<Record<string, string>>;
  /** More options of the engine. */
  readonly engine?: object;
  /** More keys of the configuration. */
  readonly config?: object;
}

export class FaultProject {
  readonly where: Where;
  readonly ledger: Ledger;

  static async open(options: ProjectOptions): Promise<FaultProject> {
    const { address, taskQueue, source, files = {}, engine, config = {} } = options;
    const database = await freshDatabase();
    const ledger = await connect(database.url);
    onTestFinished(async () => {
      await ledger.close();
      await database.drop();
    });
    const settings = { kind: "temporal", address, taskQueue, heartbeatTimeoutMs: 2000, ...engine };
    const text = `export default ${JSON.stringify({ workflows: ["./flow.mjs"], ...config, engine: settings })};`;
    const cwd = freshProject({ "runledger.config.mjs": text, "flow.mjs": source, ...files });
    return new FaultProject({ cwd, env: { RUNLEDGER_STORE: database.url } }, ledger);
  }

  private constructor(where: Where, ledger: Ledger) {
    this.where = where;
    this.ledger = ledger;
  }

  async worker(env: Record<string, string> = {}): Promise<Running> {
    const worker = startRunledger({ ...this.where, env: { ...this.where.env, ...env } }, "worker");
    await worker.says("Engine    temporal");
    return worker;
  }

  async start(workflow: string): Promise<string> {
    const { stdout } = await runledger(this.where, "run", workflow, "--json");
    return (JSON.parse(stdout) as { readonly runId: string }).runId;
  }

  events(runId: string): Promise<readonly CanonicalEngineEvent[]> {
    return this.ledger.store.fetchEvents(runId);
  }

  /** Waits for an event, and returns all events. */
  async has(runId: string, eventType: string, stepId?: string): Promise<readonly CanonicalEngineEvent[]> {
    const isIt = (event: CanonicalEngineEvent): boolean =>
      event.eventType === eventType && (stepId === undefined || event.stepId === stepId);
    await until(async () => (await this.events(runId)).some(isIt));
    return this.events(runId);
  }

  /** Writes a file that steps wait for. */
  write(name: string): void {
    writeFileSync(join(this.where.cwd, name), "");
  }

  /** The lines that steps have written to a file. */
  lines(name: string): readonly string[] {
    const file = join(this.where.cwd, name);
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  }

  /** Waits until steps have written this many lines. */
  async written(name: string, count: number): Promise<readonly string[]> {
    await until(() => this.lines(name).length >= count);
    return this.lines(name);
  }
}
