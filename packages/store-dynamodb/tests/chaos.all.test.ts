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
    const direct = (): Promise<DynamoStore> => DynamoStore.open({ endpoint, table });
    await (await direct()).close();
    const faults: readonly Fault[] = ["lose", "throttle", "conflict", "drop"];
    let requests = 0;
    const proxy = await startFaultyProxy(endpoint, (operation) => {
      const number = ++requests;
      const isWrite = operation === "TransactWriteItems";
      return number % (isWrite ? 3 : 11) === 0 ? faults[(number / (isWrite ? 3 : 11)) % (isWrite ? 4 : 2)]! : null;
    });
    const operations: Operation[] = [];
    const open = (): Promise<DynamoStore> => DynamoStore.open({ endpoint: proxy.endpoint, table, migrate: false });
    await runClients(open, { turns: 25 }, operations);
    for (const fault of faults) expect(proxy.happened[fault], fault).toBeGreaterThan(0);
    await proxy.close();
    expect(acknowledged(operations)).toBeGreaterThan(0);
    await expectClean(direct, operations);
  });

  test("the checker finds nothing after kill -9 of the server", async () => {
    const server = await startDynamoDb({ isDurable: true });
    try {
      const target = { endpoint: dynamoEndpoint(server), table: "killed" };
      await (await DynamoStore.open(target)).close();
      const operations: Operation[] = [];
      let kills = 0;
      const open = (): Promise<DynamoStore> =>
        DynamoStore.open({ ...target, migrate: false, retries: { giveUpMs: 60_000 } });
      const running = runClients(open, { turns: 5, isOver: () => kills >= 2 }, operations);
      for (; kills < 2; kills++) {
        const before = acknowledged(operations);
        await until(() => acknowledged(operations) > before + 5);
        await server.kill();
        await server.start();
      }
      await running;
      await expectClean(() => DynamoStore.open(target), operations);
    } finally {
      await server.stop();
    }
  });
});
