// @module-tag H-01
// @module-tag H-03
// @module-tag H-04
/** Runs the conformance suite on DynamoDB Local. */
import { stateStoreConformance } from "@runledger/store-conformance";
import { DynamoStore } from "@runledger/store-dynamodb";
import { dynamoVariables, requireDynamoDb } from "@runledger/test-support/dynamodb-local";
import { describeWith } from "@runledger/test-support/requirements";
import { serviceAddress } from "@runledger/test-support/service-address";
import { beforeAll, describe, test } from "vitest";

describeWith("on DynamoDB Local", requireDynamoDb, () => {
  let endpoint = "";
  let table = "";
  let tables = 0;

  beforeAll(async () => {
    Object.assign(process.env, dynamoVariables);
    endpoint = await serviceAddress("dynamodb");
  });

  // A busy machine answers late. Without a longer limit requests would be repeated, and make it busier.
  const connect = (): Promise<DynamoStore> =>
    DynamoStore.open({ endpoint, table, answerTimeoutMs: 30_000, retries: { giveUpMs: 90_000 } });

  stateStoreConformance("DynamoStore", {
    runner: { describe, test },
    open: () => {
      table = `conformance-${process.pid}-${++tables}`;
      return connect();
    },
    reopen: connect,
    shared: true,
  });
});
