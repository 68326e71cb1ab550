/** A real worker whose steps leak secrets in every way, and everything that it leaves behind. */
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type Ledger } from "runledger";
import { onTestFinished } from "vitest";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { startOtlpReceiver, type OtlpReceiver } from "@runledger/test-support/otlp-receiver";
import { freshProject, startRunledger, type Running, type Where } from "@runledger/test-support/runledger-command";
import { until } from "@runledger/test-support/until";
import { startEcho } from "./echo-server.js";

export type Secrets = Readonly<Record<string, string>>;

export interface LeakyRun {
  readonly runId: string;
  readonly where: Where;
  readonly databaseUrl: string;
  readonly ledger: Ledger;
  readonly worker: Running;
  readonly receiver: OtlpReceiver;
  /** Command lines and environments of all processes while a command with a secret ran, except that of the command. */
  readonly processes: string;
}

interface LeakyParts {
  readonly secrets: Secrets;
  /** More variables of the worker. */
  readonly variables?: Readonly<Record<string, string>>;
}

const CONFIG = `import { chainSecrets, EnvSecrets, FileSecrets } from "runledger";
const runner = process.env.DBT_PROGRAM && (await import("@runledger/dbt")).dbtRunner({ program: process.env.DBT_PROGRAM });
const tree = async ({ inner, context }) => {
  const { kept } = await context.secrets.get("planted-0").then((value) => ({ kept: value }));
  inner.start("plain", { kind: "model", after: [] });
  inner.complete("plain", { kept });
  inner.start("node " + kept, { kind: "model", after: [kept] });
  inner.fail("node " + kept, { code: "FAILED", message: kept, retryable: false });
  throw new Error(kept);
};
export default {
  workflows: ["./workflows.mjs"],
  worker: {
    secrets: chainSecrets(new EnvSecrets(process.env), new FileSecrets({ folder: "./secrets" })),
    connections: { default: process.env.RUNLEDGER_STORE },
    runners: { tree, ...(runner && { dbt: runner }) },
  },
};`;

/** Starts the worker and waits until its run has finished. */
export async function leak({ secrets, variables = {} }: LeakyParts): Promise<LeakyRun> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const ledger = await connect(database.url);
  onTestFinished(() => ledger.close());
  const receiver = await startOtlpReceiver();
  const where = await projectOf(database.url, secrets, variables);
  const telemetry = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: "100" };
  const env = { ...where.env, ...variablesOf(secrets), ...telemetry, RUNLEDGER_LOG_LEVEL: "debug" };
  const worker = startRunledger({ ...where, env }, "worker");
  const { stdout, stderr } = await runledger(where, "run", "leaks", "--json");
  if (!stdout.startsWith("{")) throw new Error(`The run did not start: ${stdout}${stderr}`);
  const { runId } = JSON.parse(stdout) as { runId: string };
  const processes = await whileHolding(where.cwd, runId);
  const hasEnded = async () => /COMPLETED|FAILED/.test((await ledger.store.projectSnapshot(runId)).status);
  await until(hasEnded);
  worker.kill("SIGTERM"); // sends its last spans
  await worker.ended;
  return { runId, where, databaseUrl: database.url, ledger, worker, receiver, processes };
}

/** Every other secret is in a file, so that the worker does not know it before a step resolves it. */
async function projectOf(url: string, secrets: Secrets, variables: LeakyParts["variables"]): Promise<Where> {
  const workflows = readFileSync(inRepository("tests/secrets/leaky-workflows.mjs"), "utf8");
  const cwd = freshProject({ "runledger.config.js": CONFIG, "workflows.mjs": workflows, "secrets/.keep": "" });
  for (const name of ["@opentelemetry", "@runledger"])
    symlinkSync(inRepository(`node_modules/${name}`), join(cwd, "node_modules", name));
  for (const [name, value] of Object.entries(secrets).filter((_, place) => place % 2 === 1))
    writeFileSync(join(cwd, "secrets", name), `${value}\n`, { mode: 0o600 });
  const names = { PLANTED: Object.keys(secrets).join(","), HOLD_FILE: join(cwd, "released") };
  const env = { RUNLEDGER_STORE: url, XDG_STATE_HOME: cwd, ECHO_URL: await startEcho(), ...names, ...variables };
  return { cwd, env };
}

function variablesOf(secrets: Secrets): Record<string, string> {
  const own = Object.entries(secrets).filter((_, place) => place % 2 === 0);
  return Object.fromEntries(
    own.map(([name, value]) => [`RUNLEDGER_SECRET_${name.toUpperCase().replaceAll("-", "_")}`, value]),
  );
}

/** Reads all processes while the command of the step `hold` waits, then lets it finish. */
async function whileHolding(cwd: string, runId: string): Promise<string> {
  const isHeld = (process: string): boolean =>
    process.includes(`RUNLEDGER_RUN_ID=${runId}`) && process.includes("RUNLEDGER_STEP_ID=hold");
  await until(() => allProcesses().some(isHeld));
  const others = allProcesses().filter((process) => !process.includes(`RUNLEDGER_RUN_ID=${runId}`));
  const commands = allProcesses().map((process) => process.split("\n environ ")[0]);
  writeFileSync(join(cwd, "released"), "");
  return [...others, ...commands].join("\n");
}

function allProcesses(): readonly string[] {
  const read = (pid: string, file: string): string => readFileSync(`/proc/${pid}/${file}`, "utf8");
  return readdirSync("/proc").flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [`${read(pid, "cmdline")}\n environ ${read(pid, "environ")}`] : [];
    } catch {
      return []; // it finished, or belongs to the system
    }
  });
}
