// @module-tag H-04
/** The model-based tests of the stores, on DynamoDB Local. Each sequence and each history gets its own table. */
import { DynamoStore } from "@runledger/store-dynamodb";
import { dynamoVariables, requireDynamoDb } from "@runledger/test-support/dynamodb-local";
import { describeWith } from "@runledger/test-support/requirements";
import { serviceAddress } from "@runledger/test-support/service-address";
import { beforeAll, test } from "vitest";
import { assertCleanHistories, type SharedContent } from "./concurrent-clients.js";
import { runSequences } from "./run-sequences.js";
import type { Target } from "./two-stores.js";

/** A busy machine answers late. */
const PATIENT = { answerTimeoutMs: 30_000, retries: { giveUpMs: 90_000 } };

let endpoint = "";
let tables = 0;
const newTable = (): string => `model-${process.pid}-${++tables}`;

function dynamoTarget(): Target {
  let table = "";
  let store: DynamoStore | null = null;
  const close = async (): Promise<void> => {
    await store?.close();
    store = null;
  };
  const reopen = async (): Promise<DynamoStore> => {
    await close();
    store = await DynamoStore.open({ endpoint, table, ...PATIENT });
    return store;
  };
  return {
    fresh: () => {
      table = newTable();
      return reopen();
    },
    reopen,
    close,
  };
}

function dynamoContent(): SharedContent {
  let handles: readonly DynamoStore[] = [];
  const close = async (): Promise<void> => void (await Promise.all(handles.map((handle) => handle.close())));
  return {
    fresh: async () => {
      await close();
      const options = { endpoint, table: newTable(), ...PATIENT };
      handles = [await DynamoStore.open(options), await DynamoStore.open(options)];
      return handles;
    },
    close,
  };
}

describeWith("on DynamoDB Local", requireDynamoDb, () => {
  beforeAll(async () => {
    Object.assign(process.env, dynamoVariables);
    endpoint = await serviceAddress("dynamodb");
  });

  test("30 random sequences get the same answers from memory and DynamoDB", { timeout: 900_000 }, () =>
    runSequences(dynamoTarget(), { sequences: 30, maxCommands: 25 }),
  );

  test("20 times three clients at once over two stores leave a clean history", { timeout: 900_000 }, () =>
    assertCleanHistories(dynamoContent(), { histories: 20 }),
  );
});
