/** A user's project whose workers are plain programs: processes that are quick to start, and to kill. */
import { join } from "node:path";
import { connect, type CanonicalEngineEvent, type Ledger } from "runledger";
import { onTestFinished } from "vitest";
import { Client } from "pg";
import { freshDatabase } from "./fresh-database.js";
import { freshProject, Running, type Where } from "./runledger-command.js";

/** `worker LEASE_MS` works until SIGTERM; `start NAME COUNT` starts runs of a workflow and says their ids. */
const PROGRAM = `import { connect } from "runledger";
import * as workflows from "./workflows.mjs";
const [what, ...told] = process.argv.slice(2);
const ledger = await connect();
if (what === "start") {
  for (let left = Number(told[1]); left > 0; left--) console.log((await ledger.start(workflows[told[0]])).id);
  await ledger.close();
} else {
  const worker = await ledger.worker({ workflows: Object.values(workflows), leaseMs: Number(told[0]), pollMs: 20 });
  process.on("SIGTERM", () => worker.stop().then(() => process.exit()));
  console.log("worker", worker.id);
}
`;

export class WorkerProject {
  readonly where: Where & { readonly env: { readonly RUNLEDGER_STORE: string } };
  readonly ledger: Ledger;
  readonly #client: Client;

  /** The exports of `workflows.mjs` are its workflows. */
  static async create(workflows: string): Promise<WorkerProject> {
    const database = await freshDatabase();
    const ledger = await connect(database.url); // with it comes the schema, before several processes do
    const client = new Client({ connectionString: database.url });
    await client.connect();
    onTestFinished(async () => {
      await Promise.all([client.end(), ledger.close()]);
      await database.drop();
    });
    return new WorkerProject(database.url, workflows, ledger, client);
  }

  /** Another release of the project, on the same database. */
  release(workflows: string): WorkerProject {
    return new WorkerProject(this.where.env["RUNLEDGER_STORE"], workflows, this.ledger, this.#client);
  }

  private constructor(url: string, workflows: string, ledger: Ledger, client: Client) {
    const cwd = freshProject({ "main.mjs": PROGRAM, "workflows.mjs": workflows });
    this.where = { cwd, env: { RUNLEDGER_STORE: url } };
    this.ledger = ledger;
    this.#client = client;
  }

  async start(name: string, count = 1): Promise<string[]> {
    const program = this.#run("start", name, String(count));
    await program.ended;
    return program.output.trim().split("\n");
  }

  async worker(leaseMs: number): Promise<Running & { readonly workerId: string }> {
    const program = this.#run("worker", String(leaseMs));
    const line = await program.says(/worker (\S+)\n/);
    return Object.assign(program, { workerId: line.slice("worker ".length).trim() });
  }

  readonly query = async <Row extends Record<string, unknown>>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> => (await this.#client.query<Row>(text, [...values])).rows;

  events(runId: string): Promise<readonly CanonicalEngineEvent[]> {
    return this.ledger.store.fetchEvents(runId);
  }

  /** One line per event with its step. */
  async story(runId: string): Promise<string[]> {
    return (await this.events(runId)).map(({ eventType, stepId = "" }) => `${eventType} ${stepId}`.trim());
  }

  #run(...args: readonly string[]): Running {
    return new Running(this.where, [join(this.where.cwd, "main.mjs"), ...args]);
  }
}
