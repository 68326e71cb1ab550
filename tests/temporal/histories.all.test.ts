// @module-tag E-34
/** The same histories, inside Temporal's sandbox: its own bundler, its own worker, and no server. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { inRepository } from "../../scripts/lib/repository.mjs";
import type { History } from "../histories/replay.mjs";
import { histories, planted } from "@runledger/test-support/histories";
import { npmPackages } from "@runledger/test-support/npm-packages";
import { describeWith, requireTool } from "@runledger/test-support/requirements";
import { executionOf } from "./execution.js";

/** The used part of its API. Its own types exist only after it is installed. */
interface TemporalWorker {
  readonly bundleWorkflowCode: (options: BundleOptions) => Promise<unknown>;
  readonly DefaultLogger: new (level: string) => unknown;
  readonly Runtime: { install(options: object): { shutdown(): Promise<void> } };
  readonly Worker: { runReplayHistory(options: { workflowBundle: unknown }, history: unknown): Promise<void> };
}

interface BundleOptions {
  readonly workflowsPath: string;
  readonly logger: unknown;
  readonly webpackConfigHook: (config: WebpackConfig) => WebpackConfig;
}

interface WebpackConfig {
  readonly resolve?: { readonly modules?: readonly string[] };
}

/** Its own modules are not beside the workflow, but where it is installed. */
function lookingIn(folder: string): BundleOptions["webpackConfigHook"] {
  return (config) => ({ ...config, resolve: { ...config.resolve, modules: ["node_modules", folder] } });
}

describeWith("inside Temporal's sandbox", [requireTool("npm")], () => {
  let temporal: TemporalWorker;
  let workflowBundle: unknown;
  let runtime: { shutdown(): Promise<void> };

  beforeAll(async () => {
    const { load, modules } = await npmPackages("tests/temporal", "temporal-worker");
    temporal = load("@temporalio/worker") as TemporalWorker;
    const logger = new temporal.DefaultLogger("ERROR");
    const telemetryOptions = { logging: { filter: { core: "ERROR", other: "ERROR" } } };
    runtime = temporal.Runtime.install({ logger, telemetryOptions });
    const workflowsPath = inRepository("tests/temporal/replay-workflow.mjs");
    workflowBundle = await temporal.bundleWorkflowCode({
      workflowsPath,
      logger,
      webpackConfigHook: lookingIn(modules),
    });
  }, 600_000);
  afterAll(() => runtime?.shutdown());

  const replayed = (history: History): Promise<void> =>
    temporal.Worker.runReplayHistory({ workflowBundle }, executionOf(history, history.events.length));

  test.each(histories)("$name folds and decides as it was recorded", (history) => replayed(history));

  test.each(Object.entries(planted))("a history with %s does not pass", async (_, plant) => {
    const [history] = histories;
    await expect(replayed(plant(history!))).rejects.toThrow(history!.name);
  });
});
