// @module-tag S-01
/** Logins, refusals at the start and batching, through the real driver, on the stub. */
import { generateKeyPairSync } from "node:crypto";
import { newEvent } from "@runledger/contracts";
import { SnowflakeStore, type SnowflakeStoreOptions } from "@runledger/store-snowflake";
import { expect, onTestFinished, test } from "vitest";
import { capture } from "../../../scripts/lib/spawn.mjs";
import { startStub, type Answer, type Stub } from "@runledger/test-support/snowflake-stub";

const appended = (count: number): Answer => ({
  rows: Array.from({ length: count }, (_, index) => [String(index + 1), "1", null, "0", "0", null, "1"]),
  types: ["fixed", "boolean", "text", "fixed", "fixed", "text", "boolean"],
});

async function stubFor(shape: string, mode = "SESSION"): Promise<Stub> {
  const stub = await startStub(({ text }) => {
    if (text.includes("READ_CONSISTENCY_MODE"))
      return { rows: [["READ_CONSISTENCY_MODE", mode]], types: ["text", "text"] };
    if (text.includes("FROM APPEND_BATCH")) return appended(20);
    return { rows: ["1", "2", "3", "4"].map((id) => [id, "1", shape]), types: ["fixed", "fixed", "text"] };
  });
  onTestFinished(() => stub.stop());
  return stub;
}

const withoutPassword = (url: string): string => url.replace(":hunter2secret", "");

async function loginWith(credentials: Omit<SnowflakeStoreOptions, "url">): Promise<Record<string, unknown>> {
  const stub = await stubFor("hybrid");
  const url = `${withoutPassword(stub.url)}&warehouse=SMALL&role=WRITER`;
  await (await SnowflakeStore.open({ url, ...credentials })).close();
  const [login] = stub.logins;
  expect(login!.search).toMatchObject({ warehouse: "SMALL", roleName: "WRITER", databaseName: "DB", schemaName: "S" });
  return login!.data;
}

test("a password logs in", async () => {
  expect(await loginWith({ password: "a password" })).toMatchObject({ LOGIN_NAME: "tester", PASSWORD: "a password" });
});

test("an OAuth token logs in", async () => {
  expect(await loginWith({ token: "a token" })).toMatchObject({ AUTHENTICATOR: "OAUTH", TOKEN: "a token" });
});

test("a key pair logs in with a token that it signs", async () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const login = await loginWith({ privateKey: privateKey.export({ type: "pkcs8", format: "pem" }) as string });
  expect(login["AUTHENTICATOR"]).toBe("SNOWFLAKE_JWT");
  const [, claims] = (login["TOKEN"] as string).split(".");
  expect(JSON.parse(Buffer.from(claims!, "base64url").toString())).toMatchObject({ sub: "ACME.TESTER" });
  expect(JSON.stringify(login)).not.toContain("PRIVATE KEY");
});

test("the driver is loaded only to connect", async () => {
  const program = `
    import { createRequire } from "node:module";
    await import("runledger");
    const { SnowflakeStore } = await import("@runledger/store-snowflake");
    const loaded = () => Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes("snowflake-sdk"));
    const before = loaded();
    await SnowflakeStore.open({ url: "snowflake://a:b@c/D/S?accessUrl=http://127.0.0.1:1", answerTimeoutMs: 1 }).catch(() => {});
    console.log(before, loaded());
    process.exit();`;
  const { stdout, stderr } = await capture(process.execPath, ["--input-type=module", "-e", program]);
  expect(stdout.trim(), stderr).toBe("false true");
});

test(
  "several writers on standard tables are refused under SESSION consistency and accepted under GLOBAL",
  { tags: ["S-02"] },
  async () => {
    const session = await stubFor("standard");
    const refused = SnowflakeStore.open({ url: `${session.url}&shape=standard&writers=many` });
    await expect(refused).rejects.toMatchObject({ code: "STORE_UNSUITABLE" });
    await (await SnowflakeStore.open({ url: `${session.url}&shape=standard` })).close(); // one writer
    const global = await stubFor("standard", "GLOBAL");
    await (await SnowflakeStore.open({ url: `${global.url}&shape=standard&writers=many` })).close();
  },
);

test("a schema with tables of one shape is not opened as the other", { tags: ["S-02"] }, async () => {
  const stub = await stubFor("standard");
  await expect(SnowflakeStore.open({ url: stub.url })).rejects.toMatchObject({ code: "STORE_UNSUITABLE" });
});

test("a schema that is behind is refused if migrating is off", { tags: ["S-02"] }, async () => {
  const stub = await startStub(() => ({ rows: [], types: ["fixed", "fixed", "text"] }));
  onTestFinished(() => stub.stop());
  const opening = SnowflakeStore.open({ url: stub.url, migrate: false });
  await expect(opening).rejects.toMatchObject({ code: "SCHEMA_BEHIND" });
});

test("calls within the gathering window share one request and one transaction", { tags: ["S-03"] }, async () => {
  const stub = await stubFor("hybrid");
  const store = await SnowflakeStore.open({ url: stub.url });
  expect(store.capabilities.gatheringWindowMs).toBe(50);
  const calls = Array.from({ length: 20 }, (_, index) =>
    store.appendEvent(newEvent({ runId: `run-${index}`, eventType: "RunStarted", planVersion: "1" })),
  );
  expect(await Promise.all(calls)).toHaveLength(20);
  const sent = stub.asked.filter(({ text }) => text.startsWith("BEGIN"));
  expect(sent).toHaveLength(1);
  expect(sent[0]!.text).toMatch(/^BEGIN;[^]*LATERAL FLATTEN[^]*INSERT INTO RUN_EVENTS[^]*;\nCOMMIT$/);
  await store.close();
});
