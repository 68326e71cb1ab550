// @module-tag T-16
/**
 * Replays executions that real Temporal servers recorded against the current build of the workflow, without a server. A
 * change that fails here would break open executions at the next deployment.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { bundleWorkflowCode, DefaultLogger, Runtime, Worker, type WorkflowBundle } from "@temporalio/worker";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inRepository } from "../../../scripts/lib/repository.mjs";
import { readHistory } from "./read-history.js";

const folder = inRepository("tests/histories/temporal");
const recorded = readdirSync(folder);
const read = (name: string): string => readFileSync(join(folder, name), "utf8");

let workflowBundle: WorkflowBundle;

beforeAll(async () => {
  const logger = new DefaultLogger("ERROR");
  Runtime.install({ logger, telemetryOptions: { logging: { filter: { core: "ERROR", other: "ERROR" } } } });
  const workflowsPath = inRepository("packages/engine-temporal/dist/workflows/index.js");
  workflowBundle = await bundleWorkflowCode({ workflowsPath, logger });
});
afterAll(() => Runtime.instance().shutdown());

const replay = (history: string): Promise<void> =>
  Worker.runReplayHistory({ workflowBundle }, readHistory(history), "run_replayed");

test.each(recorded)("%s replays against the current workflow", { tags: ["T-21"] }, (name) => replay(read(name)));

test("an execution that decided something else does not replay", async () => {
  const name = recorded.find((each) => each.startsWith("wide"))!;
  const changed = read(name).replace('"activityType":{"name":"work"}', '"activityType":{"name":"other"}');
  await expect(replay(changed)).rejects.toThrow(/nondeterminism|determinism/i);
});
