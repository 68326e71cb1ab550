// @module-tag H-30
// @module-tag H-04
/** One journey of a run on every store with a queue, and copies between any two stores. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { dynamoVariables, requireDynamoDb } from "@runledger/test-support/dynamodb-local";
import { describeWith, requireTool } from "@runledger/test-support/requirements";
import { freshFolder, startNpmStartWith } from "@runledger/test-support/runledger-command";
import { runledger } from "@runledger/test-support/hosted-commands";
import { serviceAddress } from "@runledger/test-support/service-address";
import { startEmulator } from "@runledger/test-support/snowflake-emulator.mjs";
import { until } from "@runledger/test-support/until";
import { expect, onTestFinished, test } from "vitest";
import { samplesOf } from "./product.js";
import { commandWorld, memoryWorld, type World } from "./store-worlds.js";

/** A run starts, loses its worker, resumes, gets its signal, completes, is verified and exported. */
async function journey(world: World): Promise<string> {
  await using _ = world;
  const sees = (runId: string, event: string): Promise<void> =>
    until(async () => (await world.eventsOf(runId)).includes(event));
  await world.startWorker();
  const runId = await world.startRun();
  await sees(runId, "StepStarted long");
  await world.loseWorker();
  await world.startWorker();
  await sees(runId, "RunTakenOver");
  world.letStepFinish();
  await sees(runId, "StepStarted release");
  await world.signal(runId, "release");
  await sees(runId, "RunCompleted");
  await world.verify();
  const folder = await world.exportAll();
  expect(copiesIn(folder)).toMatchObject([{ runId, toSeq: (await world.eventsOf(runId)).length }]);
  return folder;
}

interface Copy {
  readonly runId: string;
  readonly toSeq: number;
  readonly events: number;
  readonly checksum: string;
}

/** The last part of each run of an export. Its checksum covers the run up to there. */
function copiesIn(folder: string): readonly Copy[] {
  const lines = readFileSync(join(folder, "parts.jsonl"), "utf8").trim().split("\n");
  const parts = lines.map((line) => JSON.parse(line) as Copy);
  const last = new Map(parts.map(({ runId, toSeq, checksum }) => [runId, { runId, toSeq, checksum } as Copy]));
  return [...last.values()].toSorted((one, other) => (one.runId < other.runId ? -1 : 1));
}

let tables = 0;

async function newTable(): Promise<string> {
  const endpoint = encodeURIComponent(await serviceAddress("dynamodb"));
  return `dynamodb://local/journey-${process.pid}-${Date.now()}-${++tables}?endpoint=${endpoint}`;
}

async function newDatabase(): Promise<string> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  return database.url;
}

test("the journey of a run on PostgreSQL", async () => {
  await journey(await commandWorld(await newDatabase()));
});

test("the journey of a run on embedded PostgreSQL, whose worker is lost with kill -9", async () => {
  await journey(await commandWorld("embedded:./data"));
});

test("the journey of a run in memory, whose worker is cut off", async () => {
  await journey(await memoryWorld());
});

describeWith("on DynamoDB Local", requireDynamoDb, () => {
  test("the journey of a run on DynamoDB", async () => {
    await journey(await commandWorld(await newTable(), dynamoVariables));
  });

  test("npm start on DynamoDB shows the runs of the tour", { tags: ["H-01"] }, async () => {
    const env = { ...dynamoVariables, XDG_STATE_HOME: freshFolder() };
    const started = startNpmStartWith(env, "--port", "0", "--store", await newTable());
    onTestFinished(async () => {
      started.kill("SIGTERM");
      await started.ended;
    });
    const samples = await samplesOf(started);
    expect(samples.size).toBe(4);
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(started.output)![0];
    expect((await fetch(url)).status).toBe(200);
  });
});

describeWith("copies between all stores", [...requireDynamoDb, requireTool("python3")], () => {
  test("one export goes into every store, and each store's own export has the same counts and checksums", async () => {
    const source = await journey(await memoryWorld());
    const emulator = await startEmulator();
    onTestFinished(() => emulator.stop());
    const stores = [await newDatabase(), await newTable(), emulator.url("JOURNEY")];
    const where = { cwd: freshFolder(), env: { ...dynamoVariables } };
    const ok = async (...args: readonly string[]): Promise<void> => {
      const { code, stdout, stderr } = await runledger(where, "store", ...args);
      expect(code, stderr + stdout).toBe(0);
      expect(stdout).toMatch(/events of 1 run copied. Each run was verified by count and checksum/);
    };
    for (const [index, store] of stores.entries()) {
      await ok("import", "--store", store, "--from", source);
      await ok("export", "--store", store, "--to", `from-${index}`);
      expect(copiesIn(join(where.cwd, `from-${index}`))).toEqual(copiesIn(source));
    }
    const others = [await newDatabase(), await newTable(), emulator.url("OTHER")];
    for (const [index, store] of others.entries()) {
      await ok("import", "--store", store, "--from", stores[(index + 1) % stores.length]!);
      await ok("export", "--store", store, "--to", `other-${index}`);
      expect(copiesIn(join(where.cwd, `other-${index}`))).toEqual(copiesIn(source));
    }
  });
});
