import { beforeAll, expect, test } from "vitest";
import { describeWith } from "@runledger/test-support/requirements";
import { dynamoVariables, requireDynamoDb } from "@runledger/test-support/dynamodb-local";
import { serviceAddress } from "@runledger/test-support/service-address";
import { openTable } from "../src/store.js";
import { getItem, getItems, queryAll } from "../src/items.js";
import { absent } from "../src/conditions.js";
import { Cancelled } from "../src/errors.js";

describeWith("the client on DynamoDB Local", requireDynamoDb, () => {
  let endpoint = "";
  beforeAll(async () => {
    Object.assign(process.env, dynamoVariables);
    endpoint = await serviceAddress("dynamodb");
  });

  test("writes, reads and reports what a failed condition found", async () => {
    const client = await openTable({ endpoint, table: `client-${Date.now()}` });
    const item = { pk: "A", sk: "1", n: 1, text: "ä", flag: true, none: null };
    await client.transact([{ kind: "put", item, when: absent }]);
    expect(await getItem(client, item)).toEqual({ pk: "A", sk: "1", n: 1, text: "ä", flag: true });
    const again = client.transact([
      { kind: "put", item: { pk: "A", sk: "2" }, when: absent },
      { kind: "put", item, when: absent },
    ]);
    const cancelled = await again.catch((error: unknown) => error as Cancelled);
    expect(cancelled).toBeInstanceOf(Cancelled);
    expect((cancelled as Cancelled).itemAt(1)).toMatchObject({ n: 1 });
    await client.transact([{ kind: "update", key: { pk: "A", sk: "3" }, add: { n: 2 }, set: { a: "x", b: null } }]);
    expect(await queryAll(client, { pk: "A" })).toHaveLength(2);
    expect(await getItems(client, [{ pk: "A", sk: "9" }, item])).toMatchObject([null, { n: 1 }]);
    expect(Math.abs(client.clock.now() - Date.now())).toBeLessThan(2000);
    client.close();
  });
});
