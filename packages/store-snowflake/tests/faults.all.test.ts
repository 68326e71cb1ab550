// @module-tag S-08
/** Faults between a store and Snowflake, through the real driver. The stub has faults that the emulator does not have. */
import { inspect } from "node:util";
import { newEvent, type RunledgerError } from "@runledger/contracts";
import { SnowflakeStore } from "@runledger/store-snowflake";
import { afterEach, expect, test } from "vitest";
import { startStub, type Answer, type Asked, type Stub } from "@runledger/test-support/snowflake-stub";

let stub: Stub;
let store: SnowflakeStore;

afterEach(async () => {
  await store.close();
  await stub.stop();
});

const migrations: Answer = {
  rows: ["1", "2", "3", "4"].map((id) => [id, "1", "hybrid"]),
  types: ["fixed", "fixed", "text"],
};
const isSetUp = (text: string): boolean => /ALTER SESSION|LEDGER_MIGRATIONS/.test(text);
const isAppend = (text: string): boolean => text.startsWith("BEGIN");
/** RUN_SEQ, IS_NEW, REFUSAL, OLD_HEAD, EPOCH, STORED_DATA, STORED_DATA IS NULL. */
const answered = (...row: (string | null)[]): Answer => ({
  rows: [row],
  types: ["fixed", "boolean", "text", "fixed", "fixed", "text", "boolean"],
});
const appended = answered("1", "1", null, "0", "0", null, "1");
const headTypes = ["text", "text", "fixed", "fixed", "text", "timestamp_ntz", "boolean"] as const;

async function open(answerTo: (asked: Asked) => Answer): Promise<void> {
  stub = await startStub((asked) => (isSetUp(asked.text) ? migrations : answerTo(asked)));
  store = await SnowflakeStore.open({ url: stub.url, gatheringWindowMs: 0, poolSize: 1, answerTimeoutMs: 5000 });
}

const event = newEvent({ runId: "run-1", stepId: "s1", eventType: "StepStarted", planVersion: "1" });
const append = (): Promise<unknown> => store.appendEvents([event]);

async function refusalOf(call: Promise<unknown>): Promise<RunledgerError> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason as RunledgerError,
  );
  expect(error).not.toBeNull();
  expect(inspect(error, { depth: 10 })).not.toContain("hunter2"); // no secret in any error
  return error!;
}

test("an expired session is renewed, and the call succeeds", async () => {
  let expired = true;
  await open(({ text }) => {
    if (!expired || !text.includes("FROM RUN_HEADS")) return { rows: [], types: headTypes };
    expired = false;
    return { error: "390112", message: "Session token has expired" };
  });
  expect(await store.fetchHeads(["run-1"])).toEqual([]);
  expect(stub.others).toContain("/session/token-request");
});

test("a lost session is discarded: the call fails, and the next call uses another session", async () => {
  let gone = true;
  await open(({ text }) => {
    if (!gone || !text.includes("FROM RUN_HEADS")) return { rows: [], types: headTypes };
    gone = false;
    return { error: "390104", message: "User must login again" };
  });
  expect(await refusalOf(store.fetchHeads(["run-1"]))).toMatchObject({ code: "STORE_UNAVAILABLE", family: "retry" });
  const logins = stub.others.filter((path) => path.includes("login")).length;
  expect(await store.fetchHeads(["run-1"])).toEqual([]);
  expect(stub.others.filter((path) => path.includes("login")).length).toBe(logins + 1);
});

test.each([429, 503])("after %i the driver waits and repeats the request under its id", async (status) => {
  await open(({ text, repeated }) => {
    if (!isAppend(text)) return appended;
    return repeated ? { rows: [] } : { status };
  });
  expect(await append()).toMatchObject([{ runSeq: 1 }]);
  const ids = stub.asked.filter(({ text }) => isAppend(text)).map(({ requestId }) => requestId);
  expect(ids.length).toBe(2);
  expect(new Set(ids).size).toBe(1);
});

test.each([
  ["a lock that is not released in time", "000625", "57014"],
  ["a statement that takes too long", "000630", "57014"],
  ["a statement that was cancelled", "000604", "57014"],
  ["a warehouse that is suspended", "000606", "57P03"],
])("%s: nothing is stored, the transaction is rolled back, and the caller may try again", async (_, error, state) => {
  let failing = true;
  await open(({ text }) => {
    if (!isAppend(text)) return text === "ROLLBACK" ? { rows: [] } : appended;
    return failing ? { error, state } : { rows: [] };
  });
  expect(await refusalOf(append())).toMatchObject({ code: "STORE_BUSY", family: "retry" });
  expect(stub.asked.at(-1)!.text).toBe("ROLLBACK");
  failing = false;
  expect(await append()).toMatchObject([{ runSeq: 1 }]);
});

test("a refused statement gives STORE_FAULT without its values", async () => {
  const message = "SQL compilation error: invalid value 'hunter2secret' in \"RUN_EVENTS\" at https://acme/hunter2";
  await open(({ text }) => (isAppend(text) ? { error: "002003", state: "42S02", message } : { rows: [] }));
  expect(await refusalOf(append())).toMatchObject({ code: "STORE_FAULT", family: "stop" });
});

test("after a lost response the driver repeats the request under its id, and it is not executed twice", async () => {
  await open(({ text, repeated }) => {
    if (!isAppend(text)) return appended;
    return repeated ? { rows: [] } : "hang up";
  });
  expect(await append()).toMatchObject([{ runSeq: 1, persisted: true }]);
  expect(new Set(stub.asked.filter(({ text }) => isAppend(text)).map(({ requestId }) => requestId)).size).toBe(1);
});

test("a connection that stays lost around COMMIT gives OUTCOME_UNKNOWN, and a retry finds the result", async () => {
  let cut = true;
  await open(({ text }) => {
    if (!isAppend(text)) return answered("1", "0", null, "1", "0", "{}", "0");
    return cut ? "hang up" : { rows: [] };
  });
  expect(await refusalOf(append())).toMatchObject({ code: "OUTCOME_UNKNOWN", family: "retry" });
  expect(stub.asked.some(({ text }) => text === "ROLLBACK")).toBe(false); // it is unknown whether there is anything to roll back
  cut = false;
  expect(await append()).toMatchObject([{ runSeq: 1, idempotent: true }]);
});

test("a commit whose response cannot be read gives OUTCOME_UNKNOWN", async () => {
  await open(({ text }) => (isAppend(text) ? { rows: [] } : { error: "000603", state: "XX000" }));
  expect(await refusalOf(append())).toMatchObject({ code: "OUTCOME_UNKNOWN" });
});

test("a result in chunks is read as one", async () => {
  const head = (runId: string) => [runId, "default", "3", "0", null, "1700000000.000000000", "0"];
  await open(({ text }) =>
    text.includes("FROM RUN_HEADS")
      ? { rows: [head("a")], types: headTypes, chunks: [[head("b"), head("c")], [head("d")]] }
      : { rows: [] },
  );
  expect((await store.listHeads()).map(({ runId }) => runId)).toEqual(["a", "b", "c", "d"]);
});

test(
  "rejected credentials give an error that names what to check, without repeating them",
  { tags: ["S-01"] },
  async () => {
    await open(() => ({ rows: [] }));
    const denied = await startStub(() => ({ rows: [] }), {
      code: "390100",
      message: "Incorrect password hunter2secret",
    });
    const error = await refusalOf(SnowflakeStore.open({ url: denied.url }));
    await denied.stop();
    expect(error).toMatchObject({ code: "STORE_FAULT", message: expect.stringContaining("credentials") as unknown });
  },
);
