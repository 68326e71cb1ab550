// @module-tag H-04
/** Commands for DynamoDB. every-store.all.test.ts has the journey of a run. */
import { freshFolder, runledger } from "@runledger/test-support/runledger-command";
import { expect, test } from "vitest";

test("the definition of a table in DynamoDB is printed without a connection", async () => {
  const where = { cwd: freshFolder(), env: { RUNLEDGER_STORE: "dynamodb://eu-central-1/my-runs" } };
  const { code, stdout } = await runledger(where, "store", "migrate", "--print");
  expect(code).toBe(0);
  for (const text of ["AWS::DynamoDB::Table", "aws_dynamodb_table", "my-runs"]) expect(stdout).toContain(text);
});
