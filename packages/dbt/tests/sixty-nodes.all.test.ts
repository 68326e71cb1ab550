// @module-tag D-23
// @module-tag D-21
/** 60 nodes with failures, warnings and skips, whose worker is killed with -9, on DuckDB and on PostgreSQL. */
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { dbtProgram, requireDbt } from "@runledger/test-support/dbt";
import { repair, sixtyNodeProject } from "@runledger/test-support/dbt-sixty";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { describeWith } from "@runledger/test-support/requirements";
import { freshProject, Running } from "@runledger/test-support/runledger-command";
import { until } from "@runledger/test-support/until";
import { inRepository } from "../../../scripts/lib/repository.mjs";
import { connect, workflow, type Ledger } from "runledger";
import { expect, onTestFinished, test } from "vitest";
import { dbt } from "../src/index.js";
import { startedNodes } from "./shop.js";

const PROGRAM = `import { dbt, dbtRunner } from "@runledger/dbt";
import { connect, workflow } from "runledger";
const [project, program, target] = process.argv.slice(2);
const env = JSON.parse(process.env.SHOP_ENV);
const sixty = workflow("sixty", { version: "1" }, (w) => dbt(w, "build", { project, target, env }));
const ledger = await connect();
await ledger.worker({ workflows: [sixty], runners: { dbt: dbtRunner({ program }) }, leaseMs: 2000, pollMs: 50 });
console.log("run", (await ledger.start(sixty, { requestId: "once" })).id);
`;

/** Only its name is used here: the workers run their own. */
const sixty = workflow("sixty", { version: "1" }, (w) => dbt(w, "build", { project: "." }));
/** Several processes of dbt, one after the other, each of which takes half a minute on a busy machine. */
const PATIENCE_MS = 1_200_000;

interface Sixty {
  readonly project: string;
  readonly ledger: Ledger;
  worker(): Running;
}

async function open(target: string): Promise<Sixty> {
  const [ledgerUrl, warehouse] = [(await database()).url, new URL((await database()).url)];
  const ledger = await connect(ledgerUrl);
  onTestFinished(() => ledger.close());
  const [project, program] = [sixtyNodeProject(), await dbtProgram()];
  const variables = {
    SHOP_DATABASE: join(project, "sixty.duckdb"),
    SHOP_HOST: warehouse.hostname,
    SHOP_PORT: warehouse.port,
    SHOP_USER: decodeURIComponent(warehouse.username),
    SHOP_PASSWORD: decodeURIComponent(warehouse.password),
    SHOP_DBNAME: warehouse.pathname.slice(1),
  };
  const cwd = freshProject({ "main.mjs": PROGRAM });
  symlinkSync(inRepository("node_modules/@runledger"), join(cwd, "node_modules/@runledger"));
  const env = { RUNLEDGER_STORE: ledgerUrl, SHOP_ENV: JSON.stringify(variables) };
  return { project, ledger, worker: () => new Running({ cwd, env }, ["main.mjs", project, program, target]) };
}

async function database() {
  const fresh = await freshDatabase();
  onTestFinished(() => fresh.drop());
  return fresh;
}

describeWith("a dbt project of 60 nodes", requireDbt, () => {
  test.each(["duckdb", "postgres"])(
    "survives its worker, fails as dbt does, and is completed by a retry: %s",
    async (target) => {
      const { project, ledger, worker } = await open(target);
      const first = worker();
      const runId = await first.says(/run_\w+/);
      const completed = async (): Promise<readonly string[]> => {
        const events = await ledger.store.fetchEvents(runId);
        return events.flatMap(({ eventType, stepId = "" }) =>
          eventType === "StepCompleted" && stepId.startsWith("build/") ? [stepId.slice(6)] : [],
        );
      };
      const status = async (): Promise<string> => (await ledger.store.projectSnapshot(runId)).status;
      await until(async () => (await completed()).length >= 10);
      first.kill("SIGKILL");
      await first.ended;
      const before = await completed();
      const { lastEventSeq } = await ledger.store.projectSnapshot(runId);

      const second = worker();
      await until(async () => (await status()) === "FAILED");
      const afterKill = await startedNodes(ledger, runId, lastEventSeq);
      expect(afterKill.filter((name) => before.includes(name))).toEqual([]);
      const failed = await ledger.store.projectSnapshot(runId);
      const by = (wanted: string): readonly string[] =>
        failed.steps
          .flatMap(({ stepId, status: is }) => (is === wanted && stepId !== "build" ? [stepId.slice(6)] : []))
          .toSorted();
      expect(failed.steps).toHaveLength(61);
      expect(by("FAILED")).toEqual(["model.sixty.mart_3", "test.sixty.mart_8_is_small"]);
      expect(by("SKIPPED")).toEqual(["model.sixty.top_0", "model.sixty.top_1"]);
      expect(by("SUCCESS")).toHaveLength(56);
      const warning = (await ledger.store.fetchEvents(runId)).find(
        ({ eventType, stepId }) => eventType === "StepCompleted" && stepId === "build/test.sixty.warns",
      );
      expect(warning!.eventData).toMatchObject({ output: { status: "warn", failures: 3 } });

      repair(project);
      await (await ledger.get(sixty, runId)).retry({ step: "build/model.sixty.mart_3" }); // "Retry from here"
      const top = async (): Promise<string | undefined> =>
        (await ledger.store.projectSnapshot(runId)).steps.find(({ stepId }) => stepId === "build/model.sixty.top_0")
          ?.status;
      await until(async () => (await top()) === "SUCCESS" && (await status()) === "FAILED");
      const fromHere = await startedNodes(ledger, runId, failed.lastEventSeq);
      expect(fromHere).toEqual(["model.sixty.mart_3", "model.sixty.top_0"]);
      const partly = await ledger.store.projectSnapshot(runId);
      expect(partly.culprit).toBe("build/test.sixty.mart_8_is_small");

      await (await ledger.get(sixty, runId)).retry();
      await until(async () => (await status()) === "COMPLETED");
      const repeated = await startedNodes(ledger, runId, partly.lastEventSeq);
      expect(repeated).toEqual(["test.sixty.mart_8_is_small", "model.sixty.top_1"]);
      const all = await completed();
      expect({ nodes: new Set(all).size, ends: all.length }).toEqual({ nodes: 60, ends: 60 });
      second.kill("SIGKILL");
    },
    PATIENCE_MS,
  );
});
