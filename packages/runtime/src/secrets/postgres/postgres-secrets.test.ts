// @module-tag D-10
import { randomBytes } from "node:crypto";
import { omitUndefined } from "@runledger/contracts";
import { query } from "@runledger/test-support/databases";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { PostgresSecrets } from "../../index.js";

const ACME = { tenantId: "acme", environmentId: "production" };
const OTHER = { tenantId: "other", environmentId: "production" };
const key = (id: string): string => `${id}:${randomBytes(32).toString("base64")}`;
const OLD = key("old");
const NEW = key("new");

let url: string;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ url, drop } = await freshDatabase());
});
afterAll(() => drop());
beforeEach(() => query(url, "DROP SCHEMA IF EXISTS runledger_secrets CASCADE"));

const open = (keys: string): PostgresSecrets => new PostgresSecrets({ url, keys });
const value = async (secrets: PostgresSecrets, name: string, whose = ACME, version?: string) =>
  (await secrets.resolve([{ name, ...omitUndefined({ version }) }], whose))[name];

test("values have versions and scopes, and only ciphertext is stored", async () => {
  await using secrets = open(OLD);
  await secrets.set({ name: "password", value: "first shared value" });
  await secrets.set({ name: "password", value: "second shared value" });
  await secrets.set({ name: "password", value: "value of acme", tenantId: "acme" });
  await secrets.set({ name: "token", value: "acme in production", ...ACME });
  expect(await value(secrets, "password")).toBe("value of acme");
  expect(await value(secrets, "password", OTHER)).toBe("second shared value");
  expect(await value(secrets, "password", OTHER, "1")).toBe("first shared value");
  expect(await value(secrets, "token")).toBe("acme in production");
  for (const [name, version] of [["token"], ["password", "3"], ["password", "x"], ["missing"]] as const)
    await expect(value(secrets, name, OTHER, version)).rejects.toMatchObject({ code: "SECRET_NOT_FOUND" });
  const listed = await secrets.list();
  expect(listed.map(({ name, version, tenantId, environmentId }) => [name, version, tenantId, environmentId])).toEqual([
    ["password", "2", null, null],
    ["password", "1", null, null],
    ["password", "1", "acme", null],
    ["token", "1", "acme", "production"],
  ]);
  const rows = JSON.stringify(await query(url, "SELECT s::text AS row FROM runledger_secrets.secrets AS s"));
  for (const text of ["shared value", "value of acme", "acme in production"]) {
    expect(rows).not.toContain(text);
    expect(rows).not.toContain(Buffer.from(text).toString("hex"));
    expect(JSON.stringify(listed)).not.toContain(text);
  }
});

test("keys rotate while workers read: old, both and new keys work in turn", async () => {
  await using before = open(OLD);
  for (let n = 1; n <= 5; n++) await before.set({ name: `s${n}`, value: `the secret value ${n}` });
  await using during = open(`${NEW},${OLD}`);
  const sealed = await query(url, "SELECT name, sealed FROM runledger_secrets.secrets ORDER BY name");
  const [first, second] = await Promise.all([during.rotate(), during.rotate()]);
  expect(first + second).toBe(5); // two processes share the work
  expect(await during.rotate()).toBe(0);
  await during.set({ name: "s6", value: "stored during rotation" });
  await using after = open(NEW);
  expect(await value(after, "s3")).toBe("the secret value 3");
  expect(await value(after, "s6")).toBe("stored during rotation");
  expect((await after.list()).map(({ keyId }) => keyId)).toEqual(Array(6).fill("new"));
  expect(
    await query(url, "SELECT name, sealed FROM runledger_secrets.secrets WHERE name <> 's6' ORDER BY name"),
  ).toEqual(sealed); // values are not encrypted again
  await expect(value(before, "s3")).rejects.toMatchObject({ code: "ENCRYPTION_KEY_MISSING" });
});

test("concurrent changes of one secret get versions of their own", async () => {
  const openSecrets = [open(OLD), open(OLD)]; // both create the table
  const set = (n: number) => openSecrets[n % 2]!.set({ name: "password", value: `the value of ${n}` });
  const stored = await Promise.all(Array.from({ length: 8 }, (_, n) => set(n)));
  expect(stored.map(({ version }) => Number(version)).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  for (const secrets of openSecrets) await secrets.close();
});

test("a row that was moved or changed in the database is not decrypted", async () => {
  await using secrets = open(OLD);
  await secrets.set({ name: "password", value: "a value for acme", tenantId: "acme" });
  await secrets.set({ name: "password", value: "a value for other", tenantId: "other" });
  const columns = "wrapped_key, sealed, key_id";
  await query(
    url,
    `UPDATE runledger_secrets.secrets AS s SET (${columns}) = (SELECT ${columns} FROM runledger_secrets.secrets WHERE tenant = 'acme')
     WHERE tenant = 'other'`,
  );
  await expect(value(secrets, "password", OTHER)).rejects.toThrow(/authenticate/);
  expect(await value(secrets, "password")).toBe("a value for acme");
});

test("a missing permission needs a change, and a missing server only time", async () => {
  await using secrets = open(OLD);
  await secrets.list();
  await query(url, "DROP TABLE runledger_secrets.secrets");
  await expect(value(secrets, "password")).rejects.toMatchObject({ code: "SECRET_SOURCE_INVALID" });
  const away = new URL(url);
  away.port = "1";
  await expect(new PostgresSecrets({ url: away.href, keys: OLD }).list()).rejects.toMatchObject({
    code: "SECRETS_UNAVAILABLE",
  });
});
