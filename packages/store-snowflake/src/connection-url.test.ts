// @module-tag S-01
import { expect, test } from "vitest";
import { parseSnowflakeUrl } from "./connection-url.js";

test("an address names account, user, database, schema, warehouse and role", () => {
  const url = "snowflake://loader@org-acme/OPS/LEDGER?warehouse=SMALL&role=WRITER&shape=standard&writers=many";
  expect(parseSnowflakeUrl(url)).toEqual({
    account: "org-acme",
    user: "loader",
    database: "OPS",
    schema: "LEDGER",
    warehouse: "SMALL",
    role: "WRITER",
    shape: "standard",
    writers: "many",
  });
});

test("escaped characters of an address are decoded", () => {
  const parsed = parseSnowflakeUrl("snowflake://a%40b:p%2Fw%3A%40@acme/MY%20DB/S");
  expect(parsed).toEqual({ account: "acme", user: "a@b", password: "p/w:@", database: "MY DB", schema: "S" });
});

test.each([
  ["snowflake://user:hunter2secret@acme/DB", "names no schema"],
  ["snowflake://user:hunter2secret@/DB/S", "cannot be read"],
  ["snowflake://:hunter2secret@acme/DB/S", "names no user"],
  ["snowflake://user:hunter2secret@acme/DB/S/T", "more than a database and a schema"],
  ["snowflake://user:hunter2secret@acme/DB/S?shape=round", "hybrid or standard"],
  ["snowflake://user:hunter2secret@acme/DB/S?warehous=W", "warehous"],
  ["postgres://user:hunter2secret@acme/DB/S", "cannot be read"],
])("%s is refused, and the message repeats no password", (url, why) => {
  expect(() => parseSnowflakeUrl(url)).toThrow(expect.objectContaining({ code: "STORE_URL_INVALID" }));
  expect(() => parseSnowflakeUrl(url)).toThrow(why);
  expect(() => parseSnowflakeUrl(url)).not.toThrow(/hunter2/);
});
