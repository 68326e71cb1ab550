// @module-tag H-04
/** Clients write to hot runs with duplicates while answers are lost, requests are throttled and the server is killed. */
import { checkHistory, mergeHistories, readEnd, runClient, type Operation } from "@runledger/store-conformance";
import { DynamoStore } from "@runledger/store-dynamodb";
import {
  dynamoEndpoint,
  dynamoVariables,
  requireDynamoDb,
  startDynamoDb,
} from "@runledger/test-support/dynamodb-local";
import { describeWith } from "@runledger/test-support/requirements";
import { serviceAddress } from "@runledger/test-support/service-address";
import { until } from "@runledger/test-support/until";
import { beforeAll, expect, test } from "vitest";
import { startFaultyProxy, type Fault } from "./faulty-proxy.js";

const CLIENTS = 3;

/** A busy machine answers late. */
const PATIENT = { answerTimeoutMs: 30_000, retries: { giveUpMs: 90_000 } };

beforeAll(() => void Object.assign(process.env, dynamoVariables));

/** Runs clients, each with its own store, for some turns or until `isOver`. */
async function runClients(
  open: () => Promise<DynamoStore>,
  { turns, isOver = () => true }: { readonly turns: number; readonly isOver?: () => boolean },
  operations: Operation[],
): Promise<void> {
  const clients = Array.from({ length: CLIENTS }, async (_, index) => {
    const store = await open();
    for (let round = 0; round === 0 || !isOver(); round++) {
      const client = `client-${index}-${round}`;
      const seed = index * 1000 + round;
      await runClient(store, { client, seed, turns, onOperation: (operation) => operations.push(operation) });
    }
    await store.close();
  });
  await Promise.all(clients);
}

async function expectClean(open: () => Promise<DynamoStore>, operations: readonly Operation[]): Promise<void> {
  const store = await open();
  const history = mergeHistories([{ operations }, await readEnd(store)]);
  await store.close();
  expect(checkHistory(history).violations).toEqual([]);
}

const acknowledged = (operations: readonly Operation[]): number =>
  operations.filter(
    (each) => each.kind === "append" && each.parts.some(({ outcome }) => outcome.status === "acknowledged"),
  ).length;

describeWith("a store under faults", requireDynamoDb, () => {
  test("the checker finds nothing after lost answers, lost requests, throttling and conflicts", async () => {
    const table = `faults-${process.pid}`;
    const endpoint = await serviceAddress("dynamodb");
    const direct = (): Promise<DynamoStore> => DynamoStore.open({ endpoint, table, ...PATIENT });
    await (await direct()).close();
    const faults: readonly Fault[] = ["lose", "throttle", "conflict", "drop"];
    let requests = 0;
    const proxy = await startFaultyProxy(endpoint, (operation) => {
      const number = ++requests;
      const isWrite = operation === "TransactWriteItems";
      return number % (isWrite ? 3 : 11) === 0 ? faults[(number / (isWrite ? 3 : 11)) % (isWrite ? 4 : 2)]! : null;
    });
    const operations: Operation[] = [];
    const open = (): Promise<DynamoStore> =>
      DynamoStore.open({ endpoint: proxy.endpoint, table, migrate: false, ...PATIENT });
    await runClients(open, { turns: 25 }, operations);
    for (const fault of faults) expect(proxy.happened[fault], fault).toBeGreaterThan(0);
    await proxy.close();
    expect(acknowledged(operations)).toBeGreaterThan(0);
    await expectClean(direct, operations);
  });

  /**
   * DynamoDB Local itself loses transactions that it acknowledged to several clients moments before a kill. So the last
   * answers are lost first, and the test's own write is acknowledged before the server is killed.
   */
  test("the checker finds nothing after kill -9 of the server", async () => {
    const server = await startDynamoDb({ isDurable: true });
    const proxy = await startFaultyProxy(dynamoEndpoint(server), () => null);
    try {
      const direct = { endpoint: dynamoEndpoint(server), table: "killed", ...PATIENT };
      const open = (): Promise<DynamoStore> =>
        DynamoStore.open({ ...direct, endpoint: proxy.endpoint, migrate: false });
      const barrier = await DynamoStore.open(direct);
      const operations: Operation[] = [];
      let kills = 0;
      const running = runClients(open, { turns: 5, isOver: () => kills >= 2 }, operations);
      for (; kills < 2; kills++) {
        const before = acknowledged(operations);
        await until(() => acknowledged(operations) > before + 5);
        await proxy.hold();
        await barrier.feed.openFollower(`barrier-${kills}`);
        await server.kill();
        await server.start();
        proxy.release();
      }
      await running;
      await barrier.close();
      await expectClean(() => DynamoStore.open(direct), operations);
    } finally {
      await proxy.close();
      await server.stop();
    }
  });
});
