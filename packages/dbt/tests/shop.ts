/** The shop of the example as a workflow, on its own ledger. */
import { join } from "node:path";
import { dbtProgram, shopProject } from "@runledger/test-support/dbt";
import { connect, workflow, type Ledger, type RunHandle, type StepSnapshot, type WorkerOptions } from "runledger";
import { onTestFinished } from "vitest";
import { dbt, dbtRunner, type DbtOptions, type DbtSettings } from "../src/index.js";

export interface Shop {
  readonly project: string;
  readonly ledger: Ledger;
  /** Starts a run of the workflow and returns its handle. */
  start(): Promise<RunHandle>;
  /** Runs the workflow to its end. */
  run(): Promise<EndedShop>;
}

export interface EndedShop {
  readonly runId: string;
  readonly status: string;
  readonly steps: ReadonlyMap<string, StepSnapshot>;
}

export interface ShopParts {
  readonly options?: Partial<DbtOptions>;
  readonly settings?: DbtSettings;
  readonly attempts?: number;
  readonly worker?: Partial<WorkerOptions>;
}

export async function openShop({ options, settings, attempts = 1, worker }: ShopParts = {}): Promise<Shop> {
  const [project, program, ledger] = [shopProject(), await dbtProgram(), await connect("memory:")];
  onTestFinished(() => ledger.close());
  const env = { SHOP_DATABASE: join(project, "shop.duckdb") };
  const shop = workflow("shop", { version: "1" }, (w) =>
    dbt(w, "build", { project, env, ...options, retry: { attempts, delay: "10ms" } }),
  );
  await ledger.worker({ ...worker, workflows: [shop], runners: { dbt: dbtRunner({ program, ...settings }) } });
  const start = (): Promise<RunHandle> => ledger.start(shop);
  return { project, ledger, start, run: async () => ended(await start()) };
}

/** Waits for the end of a run. */
export async function ended(run: RunHandle): Promise<EndedShop> {
  for await (const event of run.events()) void event;
  const { status, steps } = await run.snapshot();
  return { runId: run.id, status, steps: new Map(steps.map((step) => [step.stepId.replace("build/", ""), step])) };
}

/** Statuses of steps by name. */
export function statuses({ steps }: EndedShop): Readonly<Record<string, string>> {
  return Object.fromEntries([...steps].map(([name, { status }]) => [name, status]));
}

/** Names of the inner steps that started in a run, in order. */
export async function startedNodes(ledger: Ledger, runId: string, afterSeq = 0): Promise<readonly string[]> {
  const events = await ledger.store.fetchEvents(runId, { afterSeq });
  return events.flatMap(({ eventType, stepId = "" }) =>
    eventType === "StepStarted" && stepId.startsWith("build/") ? [stepId.slice("build/".length)] : [],
  );
}
