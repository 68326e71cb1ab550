import { expect, test } from "vitest";
import { parse } from "yaml";
import { tableDefinitions } from "./definitions.js";

test("the CloudFormation template defines the keys, recovery and time to live of the table", () => {
  const [template] = tableDefinitions("ledger").split("# Terraform");
  const { Resources } = parse(template!) as { Resources: { RunledgerTable: { Properties: object } } };
  expect(Resources.RunledgerTable.Properties).toMatchObject({
    TableName: "ledger",
    KeySchema: [
      { AttributeName: "pk", KeyType: "HASH" },
      { AttributeName: "sk", KeyType: "RANGE" },
    ],
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    TimeToLiveSpecification: { AttributeName: "ttl", Enabled: true },
  });
});

test("the Terraform resource names the same table and keys", () => {
  const [, resource] = tableDefinitions("ledger").split("# Terraform");
  for (const part of [/name += "ledger"/, /hash_key += "pk"/, /range_key += "sk"/, /attribute_name = "ttl"/])
    expect(resource).toMatch(part);
});
