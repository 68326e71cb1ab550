import { expect, test } from "vitest";
import { withoutPassword } from "@runledger/runtime/config/store-url";
import { commandLine } from "./next-command.js";

test.each([
  ["postgres://ann:hunter2@db:5432/ledger", "postgres://ann@db:5432/ledger"],
  ["postgres://ann:hunter2@x@db/ledger", "postgres://ann@db/ledger"],
  ["postgres://ann:hunter2/x@db/ledger", "postgres://ann@db/ledger"],
  [
    "postgres://db/ledger?user=ann&password=hunter2&sslmode=require",
    "postgres://db/ledger?user=ann&password=…&sslmode=require",
  ],
  ["snowflake://ann:hunter2@account/DB/S?role=R", "snowflake://ann@account/DB/S?role=R"],
])("%s is printed without its password, and omitted from suggested commands", (store, shown) => {
  expect(withoutPassword(store)).toBe(shown);
  expect(commandLine({ store }, "runs")).toBe("npx runledger runs");
});

test("a URL without a password is printed unchanged", () => {
  for (const store of [
    "postgres://ann@db:5432/ledger?sslmode=require",
    "postgres://db:5432/ledger",
    "embedded:./data",
  ]) {
    expect(withoutPassword(store)).toBe(store);
    expect(commandLine({ store }, "runs")).toContain(store);
  }
});
