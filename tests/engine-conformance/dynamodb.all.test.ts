// @module-tag H-05
/** Every behavior, on the embedded engine with its queue in DynamoDB. */
import { dynamoVariables, requireDynamoDb } from "@runledger/test-support/dynamodb-local";
import { describeWith } from "@runledger/test-support/requirements";
import { serviceAddress } from "@runledger/test-support/service-address";
import { afterAll, beforeAll, test } from "vitest";
import { Stage, type EngineUnderTest } from "./behavior.js";
import { behaviors } from "./behaviors/index.js";
import { startEngine } from "./engines.js";

const prepared = behaviors.map(({ name, prepare }) => ({ name, ...prepare() }));

describeWith("on DynamoDB Local", requireDynamoDb, () => {
  let engine: EngineUnderTest;
  beforeAll(async () => {
    Object.assign(process.env, dynamoVariables);
    const endpoint = encodeURIComponent(await serviceAddress("dynamodb"));
    const url = `dynamodb://local/engine-${process.pid}-${Date.now()}?endpoint=${endpoint}`;
    engine = await startEngine(url, { workflows: prepared.flatMap(({ workflows }) => workflows) });
  });
  afterAll(() => engine.ledger.close());

  for (const { name, play } of prepared) test.concurrent(name, () => play(new Stage(engine)));
});
