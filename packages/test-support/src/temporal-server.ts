/** A real Temporal server with its database in a file, so that it can be killed and started again. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { capture } from "../../../scripts/lib/spawn.mjs";
import { freePort, listening } from "./servers.js";
import { readyTemporal, requireTemporal } from "./temporal-provisioning.js";

export { requireTemporal };

/** Continue-as-new and restarts wait a second by default. */
const WITHOUT_PAUSES = ["history.continueAsNewMinInterval", "history.workflowIdReuseMinimalInterval"];

export interface ListedExecution {
  readonly workflowId: string;
  /** Temporal's id: a new one for each execution that continues another one. */
  readonly runId: string;
  /** Such as `RUNNING`, `COMPLETED`, `CONTINUED_AS_NEW`. */
  readonly status: string;
}

export interface ExecutionHistory {
  readonly json: string;
  /** All payloads, decoded. The first one is the input of the execution. */
  readonly payloads: readonly string[];
  readonly events: number;
  /** The size of all payloads. */
  readonly bytes: number;
}

interface HistoryEvent {
  readonly activityTaskStartedEventAttributes?: { readonly attempt: number };
}

export class TemporalServer {
  readonly address: string;
  readonly #program: string;
  readonly #folder = mkdtempSync(join(tmpdir(), "rl-temporal-"));
  readonly #port: number;
  /** `null` if the server has no UI. */
  readonly #uiPort: number | null;
  #child: ChildProcess | null = null;

  static async start(options: { readonly withUi?: boolean } = {}): Promise<TemporalServer> {
    const ready = readyTemporal();
    if (ready?.kind !== "program") throw new Error(requireTemporal()!);
    const server = new TemporalServer(
      ready.program,
      await freePort(),
      options.withUi === true ? await freePort() : null,
    );
    await server.start();
    return server;
  }

  private constructor(program: string, port: number, uiPort: number | null) {
    this.#program = program;
    this.#port = port;
    this.#uiPort = uiPort;
    this.address = `127.0.0.1:${port}`;
  }

  get uiUrl(): string {
    return `http://127.0.0.1:${this.#uiPort}`;
  }

  /** Starts it, or starts it again on the same database. */
  async start(): Promise<void> {
    const database = join(this.#folder, "temporal.db");
    const place = ["--ip", "127.0.0.1", "--port", String(this.#port), "--db-filename", database];
    const settings = WITHOUT_PAUSES.flatMap((name) => ["--dynamic-config-value", `${name}="1ms"`]);
    const ui = this.#uiPort === null ? ["--headless"] : ["--ui-port", String(this.#uiPort)];
    const args = ["server", "start-dev", ...ui, "--log-level", "error", ...place, ...settings];
    const child = spawn(this.#program, args, {
      env: { ...process.env, HOME: this.#folder },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let log = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (log += text.toString()));
    this.#child = child;
    await listening(this.#port, child, () => log);
  }

  createNamespace(namespace: string): Promise<string> {
    return this.#temporal("operator", "namespace", "create", "-n", namespace);
  }

  /** Defines search attributes of the type `Keyword`. */
  async defineAttributes(namespace: string, names: readonly string[]): Promise<void> {
    const create = ["operator", "search-attribute", "create", "-n", namespace, "--type", "Keyword"];
    for (const name of names) await this.#temporal(...create, "--name", name);
  }

  terminate(workflowId: string): Promise<string> {
    return this.#command("terminate", "-w", workflowId);
  }

  describe(workflowId: string): Promise<string> {
    return this.#command("describe", "-w", workflowId);
  }

  cancel(workflowId: string): Promise<string> {
    return this.#command("cancel", "-w", workflowId);
  }

  /** Starts an execution that times out after this many seconds. */
  startLimited(workflowId: string, type: string, taskQueue: string, input: unknown, seconds: number): Promise<string> {
    const what = ["--type", type, "--task-queue", taskQueue, "--input", JSON.stringify(input)];
    return this.#command("start", "-w", workflowId, ...what, "--execution-timeout", `${seconds}s`);
  }

  /** Removes an execution with its history, as a cluster that has lost it. */
  delete(workflowId: string): Promise<string> {
    return this.#command("delete", "-w", workflowId);
  }

  /** The executions that match a query, newest first. */
  async executions(query: string, namespace = "default"): Promise<readonly ListedExecution[]> {
    const where = ["-n", namespace, "--query", query];
    const stdout = await this.#command("list", ...where, "--output", "json", "--limit", "1000");
    const listed = JSON.parse(stdout) as readonly {
      execution: { workflowId: string; runId: string };
      status: string;
    }[];
    return listed.map(({ execution, status }) => ({ ...execution, status: status.split("STATUS_")[1]! }));
  }

  /** The payloads of an execution's history, decoded. */
  async payloads(workflowId: string): Promise<readonly string[]> {
    return (await this.history(workflowId)).payloads;
  }

  /** `runId` selects one of several executions with the same id. Default: the newest one. */
  async history(workflowId: string, runId?: string): Promise<ExecutionHistory> {
    const run = runId === undefined ? [] : ["-r", runId];
    const json = await this.#command("show", "-w", workflowId, ...run, "--output", "json");
    const data = [...json.matchAll(/"data": "([^"]+)"/g)].map(([, base64]) => Buffer.from(base64!, "base64"));
    return {
      json,
      payloads: data.map(String),
      events: json.match(/"eventId": /g)?.length ?? 0,
      bytes: data.reduce((sum, { length }) => sum + length, 0),
    };
  }

  /** The attempts that the activities of an execution needed, in the order in which they finished. */
  async activityAttempts(workflowId: string): Promise<readonly number[]> {
    const { json } = await this.history(workflowId);
    const { events } = JSON.parse(json) as { readonly events: readonly HistoryEvent[] };
    return events.flatMap(({ activityTaskStartedEventAttributes: started }) =>
      started === undefined ? [] : [started.attempt],
    );
  }

  #command(...args: readonly string[]): Promise<string> {
    return this.#temporal("workflow", ...args);
  }

  async #temporal(...args: readonly string[]): Promise<string> {
    const all = [...args, "--address", this.address];
    const { code, stdout, stderr } = await capture(this.#program, all, { env: { HOME: this.#folder } });
    if (code !== 0) throw new Error(`temporal ${args.slice(0, 2).join(" ")} failed: ${stderr}`);
    return stdout;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    this.#child = null;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    if (child.exitCode === null && child.kill("SIGKILL")) await ended;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
