/** Turns the events of dbt into inner steps of the `dbt` step, one per node. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ArtifactRef, DatasetUses, Json } from "@runledger/contracts";
import type { InnerSteps } from "@runledger/runtime/engine/runners/runner";
import { classify, isRetried, type DbtCode } from "./errors.js";
import { finishedNode, startedNode, type DbtEvent, type NodeResult } from "./events.js";
import { Manifest } from "./manifest.js";
import { datasetsOf } from "./node-datasets.js";
import { outcomeOf } from "./statuses.js";

export class NodeSteps {
  readonly #inner: InnerSteps;
  readonly #target: string;
  readonly #signal: AbortSignal;
  /** Nodes that finished, with their status in the stream. */
  readonly statuses = new Map<string, string>();
  /** Tests that found rows, and failed or warned. */
  readonly withRows: string[] = [];
  /** Codes of the nodes that failed, in order. */
  readonly failed = new Map<string, DbtCode>();
  #manifest: Manifest | null = null;
  /** Resolves when all reported nodes are recorded. */
  #recorded: Promise<unknown> = Promise.resolve();

  constructor(inner: InnerSteps, target: string, signal: AbortSignal) {
    this.#inner = inner;
    this.#target = target;
    this.#signal = signal;
  }

  add(event: DbtEvent): void {
    if (event.name === "NodeStart") this.#start(event);
    if (event.name === "NodeFinished") this.#finish(finishedNode(event));
  }

  /** Throws if a compiled statement could not be stored. */
  async settled(): Promise<void> {
    await this.#recorded;
  }

  #start(event: DbtEvent): void {
    const { uniqueId, kind, checksum } = startedNode(event);
    this.#manifest ??= Manifest.read(this.#target); // dbt writes it before the first node
    if (this.#isEphemeral(uniqueId)) return;
    const after = this.#manifest.parentsOf(uniqueId);
    this.#inner.start(uniqueId, { kind, after, ...(checksum !== "" && { checksum }) });
  }

  #finish(result: NodeResult): void {
    const { uniqueId, status, message } = result;
    const outcome = outcomeOf(status);
    if (this.#isEphemeral(uniqueId)) return;
    // A node that fails after the abort was cancelled by it. It ends with the step.
    if (this.#signal.aborted && outcome !== "done") return;
    this.statuses.set(uniqueId, status);
    if (result.failures > 0) this.withRows.push(uniqueId);
    if (outcome === "failed") this.failed.set(uniqueId, codeOf(status, message));
    const recorded = this.#record(result);
    recorded.catch(() => {}); // `settled` reports it
    this.#recorded = Promise.all([this.#recorded, recorded]);
    this.#recorded.catch(() => {});
  }

  /** dbt only compiles such a model into its dependents. It is in the stream, but not among the results. */
  #isEphemeral(uniqueId: string): boolean {
    return this.#manifest?.nodes.get(uniqueId)?.isEphemeral === true;
  }

  async #record(result: NodeResult): Promise<void> {
    const { uniqueId, message, status } = result;
    if (outcomeOf(status) === "skipped") return this.#inner.skip(uniqueId, this.#culpritOf(uniqueId));
    const artifacts = await this.#compiled(uniqueId);
    const code = this.failed.get(uniqueId);
    if (code === undefined)
      return this.#inner.complete(uniqueId, outputOf(result), artifacts, this.#datasetsOf(result));
    const text = message === "" ? `dbt reported ${status}.` : message;
    this.#inner.fail(uniqueId, { code, message: text, retryable: isRetried(code) }, artifacts);
  }

  /** Returns the compiled SQL of a node as an artifact. A seed has none. */
  async #compiled(uniqueId: string): Promise<readonly ArtifactRef[]> {
    const node = this.#manifest?.nodes.get(uniqueId);
    if (node === undefined || this.#signal.aborted) return [];
    const text = await readFile(join(this.#target, node.compiledPath), "utf8").catch(() => null);
    return text === null ? [] : this.#inner.write(uniqueId, "dbt-compiled-sql", text);
  }

  #datasetsOf({ uniqueId, rowsAffected }: NodeResult): DatasetUses {
    const node = this.#manifest?.nodes.get(uniqueId);
    return node === undefined ? {} : datasetsOf(this.#manifest!, node, rowsAffected);
  }

  /** Returns the first failed node above a skipped one, or the first failed test of a node above it. */
  #culpritOf(uniqueId: string): string | undefined {
    const seen = new Set([uniqueId]);
    for (const name of seen) {
      if (this.failed.has(name)) return name;
      for (const parent of this.#manifest?.parentsOf(name) ?? []) seen.add(parent);
    }
    const isAbove = (name: string): boolean => seen.has(name);
    return [...this.failed.keys()].find((name) => this.#manifest?.parentsOf(name).some(isAbove));
  }
}

function codeOf(status: string, message: string): DbtCode {
  return classify(message, status === "fail" ? "DBT_TEST_FAILED" : "DBT_NODE_FAILED");
}

function outputOf({ status, message, seconds, rowsAffected, failures }: NodeResult): Json {
  return {
    status,
    message,
    seconds,
    ...(rowsAffected !== null && { rowsAffected }),
    ...(failures > 0 && { failures }),
  };
}
