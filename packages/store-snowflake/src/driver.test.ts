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
])("[S-01] credentials choose how one logs in: %o", (given, expected) => {
  expect(authentication({ ...target, ...given })).toEqual(expected);
});

test("[S-01] a key pair goes before a token, and a token before a password", () => {
  const all = { privateKey: "key", token: "token", password: "password" };
  expect(authentication({ ...target, ...all })).toMatchObject({ authenticator: "SNOWFLAKE_JWT" });
  expect(authentication({ ...target, token: "token", password: "password" })).toMatchObject({ authenticator: "OAUTH" });
});
