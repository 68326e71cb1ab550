// @module-tag S-01
import { expect, test } from "vitest";
import { authentication } from "./driver.js";

const target = { account: "acme", user: "loader", database: "OPS", schema: "LEDGER" };

test.each([
  [{ password: "a password" }, { authenticator: "SNOWFLAKE", password: "a password" }],
  [{ token: "a token" }, { authenticator: "OAUTH", token: "a token" }],
  [
    { privateKey: "-----BEGIN", privateKeyPassphrase: "open" },
    { authenticator: "SNOWFLAKE_JWT", privateKey: "-----BEGIN", privateKeyPass: "open" },
  ],
  [{ privateKeyPath: "/key.p8" }, { authenticator: "SNOWFLAKE_JWT", privateKeyPath: "/key.p8" }],
])("credentials choose how one logs in: %o", (given, expected) => {
  expect(authentication({ ...target, ...given })).toEqual(expected);
});

test("a key pair takes precedence over a token, and a token over a password", () => {
  const all = { privateKey: "key", token: "token", password: "password" };
  expect(authentication({ ...target, ...all })).toMatchObject({ authenticator: "SNOWFLAKE_JWT" });
  expect(authentication({ ...target, token: "token", password: "password" })).toMatchObject({ authenticator: "OAUTH" });
});
