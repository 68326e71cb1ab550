/** One attempt of a `dbt` step: selects the nodes that are missing, runs dbt, and compares what it reported. */
import { createReadStream } from "node:fs";
import { join } from "node:path";
import type { Json } from "@runledger/contracts";
import type { Exit } from "@runledger/runtime/engine/runners/process-group";
import { resolveSecrets } from "@runledger/runtime/engine/runners/secret-values";
import type { InnerSteps, Task } from "@runledger/runtime/engine/runners/runner";
import { listArguments, runArguments, showArguments } from "./arguments.js";
import type { DbtPrograms } from "./dbt-process.js";
import { classify, dbtError } from "./errors.js";
import { objectOf, textOf } from "./events.js";
import { FailingRows, selectTests, shownTests } from "./failing-rows.js";
import { assertSound, assertSucceeded } from "./verdict.js";
import { Manifest } from "./manifest.js";
import { NodeSteps } from "./node-steps.js";
import type { DbtOptions } from "./options.js";
import { plannedNodes, remainingNodes, type Remaining } from "./remaining.js";
import { isWritten, readRunResults, selectWritten, writeSelection } from "./run-results.js";
import type { Scratch } from "./scratch.js";
import { DbtStream } from "./stream.js";

const HOOKS_UNKNOWN =
  "Every node is done, but dbt did not finish after them, and a project's hooks run only with nodes. Start a new run.";

export class DbtAttempt {
  readonly #programs: DbtPrograms;
  readonly #task: Task & { readonly inner: InnerSteps };
  readonly #options: DbtOptions;
  readonly #scratch: Scratch;

  constructor(
    programs: DbtPrograms,
    task: Task & { readonly inner: InnerSteps },
    options: DbtOptions,
    scratch: Scratch,
  ) {
    this.#programs = programs;
    this.#task = task;
    this.#options = options;
    this.#scratch = scratch;
  }

  /** Returns the step's output: the number of nodes by status. */
  async run(): Promise<Json> {
    const env = await this.#environment();
    const left = this.#task.inner.recordedCount === 0 ? null : await this.#remaining(env);
    if (left === null || left.run.length > 0) return this.#build(env, left);
    assertSucceeded(this.#task.inner, left, new Map()); // the worker was lost after the last node
    if (left.hasHooks) throw dbtError("DBT_FAILED", HOOKS_UNKNOWN);
    return { nodes: {}, done: left.done };
  }

  async #build(env: Record<string, string>, left: Remaining | null): Promise<Json> {
    const { target, state } = this.#scratch;
    const { context, inner } = this.#task;
    if (left !== null) await writeSelection(state, left.run);
    const nodes = new NodeSteps(inner, target, context.signal);
    const stream = new DbtStream(context.log, (event) => nodes.add(event));
    const exit = await this.#dbt(runArguments(this.#options, this.#scratch, left && selectWritten(state)), env, stream);
    await nodes.settled();
    context.signal.throwIfAborted();
    await this.#saveFiles();
    await this.#saveFailingRows(nodes.withRows, env);
    const reports = { exit, stream, statuses: nodes.statuses, results: readRunResults(target) };
    assertSound({ ...reports, manifest: manifestOf(target), expected: left?.run ?? null });
    await this.#scratch.keepParsed();
    assertSucceeded(inner, left, nodes.failed);
    return { nodes: countsOf(nodes.statuses), done: (left?.done ?? 0) + nodes.statuses.size };
  }

  async #remaining(env: Record<string, string>): Promise<Remaining> {
    const { command = "build" } = this.#options;
    const selected: string[] = [];
    const stream = new DbtStream(
      () => {},
      ({ name, data }) => {
        if (name === "PrintEvent") selected.push(listedNode(textOf(data["msg"])));
      },
    );
    const exit = await this.#dbt(listArguments(this.#options, this.#scratch), env, stream);
    this.#task.context.signal.throwIfAborted();
    if (exit.code !== 0 || stream.success !== true)
      throw dbtError(classify(stream.errors, "DBT_FAILED"), `dbt could not list its nodes.\n${stream.errors}`);
    const manifest = Manifest.read(this.#scratch.target);
    const { inner } = this.#task;
    const planned = plannedNodes(manifest, selected, command);
    const left = remainingNodes(manifest, planned, (name) => inner.recorded(name));
    for (const name of left.blocked) skip(inner, manifest, name, left.failed);
    return left;
  }

  #dbt(args: readonly string[], env: Record<string, string>, stream: DbtStream): Promise<Exit> {
    const { signal } = this.#task.context;
    const on = { onLine: stream.addLine, onErrorLine: stream.addErrorLine };
    return this.#programs.run({ args, cwd: this.#scratch.project, env, signal, ...on });
  }

  async #environment(): Promise<Record<string, string>> {
    const { context } = this.#task;
    return {
      ...(await resolveSecrets(this.#options.env ?? {}, context.secrets)),
      DBT_SEND_ANONYMOUS_USAGE_STATS: "false",
      RUNLEDGER_RUN_ID: context.runId,
      RUNLEDGER_STEP_ID: context.stepId,
      RUNLEDGER_ATTEMPT: String(context.attempt),
    };
  }

  /** The outcome of the step does not depend on it: if rows are missing, the log contains a warning. */
  async #saveFailingRows(tests: readonly string[], env: Record<string, string>): Promise<void> {
    const { context, inner } = this.#task;
    const names = shownTests(tests);
    if ((this.#options.failingRows ?? 0) === 0 || names.length === 0) return;
    const prefix = `${context.stepId}/`;
    const rows = new FailingRows(tests, (uniqueId) => inner.idOf(uniqueId).slice(prefix.length));
    const stream = new DbtStream(() => {}, rows.add); // the log must not contain rows
    try {
      await this.#scratch.shareParsed();
      const { code } = await this.#dbt(showArguments(this.#options, this.#scratch, selectTests(names)), env, stream);
      context.signal.throwIfAborted();
      if (rows.text !== "") await context.artifact.write("dbt-failing-rows", rows.text);
      else context.log(`dbt show returned no failing rows. Its exit code is ${code}.`, { level: "warn" });
    } catch (error) {
      context.signal.throwIfAborted();
      context.log(`The failing rows could not be kept. ${(error as Error).message}`, { level: "warn" });
    }
  }

  /** Stores the files of dbt with the attempt, also if it failed. */
  async #saveFiles(): Promise<void> {
    const files = [
      ["dbt-manifest", "manifest.json"],
      ["dbt-run-results", "run_results.json"],
    ] as const;
    for (const [kind, name] of files) {
      const path = join(this.#scratch.target, name);
      if (isWritten(path)) await this.#task.context.artifact.write(kind, createReadStream(path));
    }
  }
}

/** Records a node that dbt would have skipped, had it not been lost. */
function skip(inner: InnerSteps, manifest: Manifest, name: string, failed: readonly string[]): void {
  const { kind = "node" } = manifest.nodes.get(name) ?? {};
  inner.start(name, { kind, after: manifest.parentsOf(name) });
  inner.skip(
    name,
    failed.find((culprit) => manifest.blockedBy([culprit]).has(name)),
  );
}

/** `dbt ls` prints `{"unique_id": …}` for each node. */
function listedNode(text: string): string {
  try {
    return textOf(objectOf(JSON.parse(text) as Json)["unique_id"]);
  } catch {
    return "";
  }
}

function manifestOf(target: string): Manifest | null {
  try {
    return Manifest.read(target);
  } catch {
    return null;
  }
}

function countsOf(statuses: ReadonlyMap<string, string>): Json {
  const counts: Record<string, number> = {};
  for (const status of statuses.values()) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
