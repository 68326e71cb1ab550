/** A Temporal server for a bench, and the bare workflow that Runledger is compared with. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporalEngine } from "@runledger/engine-temporal";
import { connect } from "runledger";
import { cachedPath } from "../../scripts/lib/cache-folder.mjs";
import { chain, STEPS } from "./engine.mjs";
import { freePort, listening } from "./ports.mjs";
import { wide } from "./workflows.mjs";

const BUILD = /^temporal-cli-\d+\.\d+\.\d+$/;
const WITHOUT_PAUSES = ["history.continueAsNewMinInterval", "history.workflowIdReuseMinimalInterval"];
const NOT_THERE = "there is no Temporal server: set RUNLEDGER_TEMPORAL, or build one with npm run test:all";

/** @typedef {import("./suite.mjs").Outcome} Outcome */

/**
 * Runs a bench on its own server, or leaves it out with the reason.
 * @param {(address: string) => Promise<Outcome>} measure
 * @returns {Promise<Outcome>}
 */
export async function onTemporal(measure) {
  const configured = process.env["RUNLEDGER_TEMPORAL"] ?? "";
  const program = configured === "" ? builtProgram() : configured;
  if (program === null) return { ratio: 0, details: [], failed: NOT_THERE };
  const folder = mkdtempSync(join(tmpdir(), "runledger-bench-temporal-"));
  const port = await freePort();
  const place = ["--ip", "127.0.0.1", "--port", String(port), "--db-filename", join(folder, "temporal.db")];
  const settings = WITHOUT_PAUSES.flatMap((name) => ["--dynamic-config-value", `${name}="1ms"`]);
  const args = ["server", "start-dev", "--headless", "--log-level", "error", ...place, ...settings];
  const server = spawn(program, args, { env: { ...process.env, HOME: folder }, stdio: "ignore" });
  const ended = new Promise((resolve) => server.once("exit", resolve));
  try {
    await listening(port);
    return await measure(`127.0.0.1:${port}`);
  } finally {
    server.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The build that the tests have made. */
function builtProgram() {
  const folder = dirname(cachedPath("any"));
  const name = existsSync(folder) ? readdirSync(folder).findLast((each) => BUILD.test(each)) : undefined;
  return name === undefined ? null : join(folder, name, "temporal");
}

/**
 * Workflows of ten empty activities, as Temporal's documentation writes them.
 * @param {string} address
 * @returns {Promise<import("./engine.mjs").Engine & { runNamed: (workflowId: string) => Promise<unknown> }>}
 */
export async function openBare(address) {
  const { Client, Connection } = await import("@temporalio/client");
  const { NativeConnection, Worker } = await import("@temporalio/worker");
  const native = await NativeConnection.connect({ address });
  const taskQueue = "bare";
  const workflowsPath = fileURLToPath(new URL("bare-workflow.mjs", import.meta.url));
  const worker = await Worker.create({ connection: native, taskQueue, workflowsPath, activities: { empty } });
  const running = worker.run();
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  let started = 0;
  const runNamed = (/** @type {string} */ workflowId) =>
    client.workflow.execute("bare", { taskQueue, workflowId, args: [STEPS] });
  return {
    runOne: () => runNamed(`bare-${++started}`),
    runNamed,
    close: async () => {
      worker.shutdown();
      await running;
      await connection.close();
      await native.close();
    },
  };
}

const empty = async () => {};

/**
 * The same steps in Runledger, on the same server.
 * @param {string} address
 * @param {string} url
 */
export async function openOnTemporal(address, url) {
  const ledger = await connect(url);
  await ledger.worker({ workflows: [chain, wide], engine: temporalEngine({ address, taskQueue: "ours" }) });
  return {
    runOne: async () => (await ledger.start(chain)).result(),
    runNamed: async (/** @type {string} */ runId) => (await ledger.start(chain, { runId })).result(),
    runWide: async (/** @type {number} */ items) => (await ledger.start(wide, { input: { items } })).result(),
    close: () => ledger.close(),
  };
}
