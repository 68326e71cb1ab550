// @module-tag B-33
/** Keys, rotation, retries and tenants of an encrypted store. `tests/encryption` shows what a database contains. */
import { MAX_CHUNK_BYTES, MAX_EVENT_BYTES, newEvent, type NewEvent } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { expect, test } from "vitest";
import { encryptedStore } from "./encrypted-store.js";
import type { EncryptionOptions } from "./keyring.js";

const keyOf = (byte: number): string => Buffer.alloc(32, byte).toString("base64");
const OLD = `old:${keyOf(1)}`;
const NEW = `new:${keyOf(2)}`;

const completed = (output: string, runId = "r1"): NewEvent =>
  newEvent({ runId, eventType: "StepCompleted", stepId: "load", planVersion: "1", eventData: { output } });

/** The same content, opened by processes with different keys. */
function shared() {
  const store = new MemoryStore();
  const open = (keys: string, options: Partial<EncryptionOptions> = {}) => encryptedStore(store, { keys, ...options });
  return { store, open };
}

test("the store holds the structure and the ciphertext, and readers get the payload", async () => {
  const { store, open } = shared();
  const encrypted = await open(OLD);
  await encrypted.appendEvent(completed("zebra"));
  const [raw] = await store.fetchEvents("r1");
  expect(JSON.stringify(raw)).not.toContain("zebra");
  expect(raw).toMatchObject({
    eventType: "StepCompleted",
    stepId: "load",
    eventData: { output: { $encrypted: "old" } },
  });
  expect((await encrypted.fetchEvents("r1"))[0]?.eventData).toEqual({ output: "zebra" });
  expect((await store.projectSnapshot("r1")).steps[0]).toMatchObject({ stepId: "load", status: "SUCCESS" });
});

test("the retry of an append with an unknown outcome is the same event, also after a rotation", async () => {
  const { store, open } = shared();
  const event = completed("zebra");
  const before = await open(OLD);
  expect(await before.appendEvent(event)).toMatchObject({ runSeq: 1, idempotent: false });
  expect(await before.appendEvent(event)).toEqual({ runSeq: 1, idempotent: true, persisted: false });
  expect(store.conflicts).toBe(0); // the same bytes
  const rotated = await open(`${NEW},${OLD}`);
  expect(await rotated.appendEvent(event)).toEqual({ runSeq: 1, idempotent: true, persisted: false });
  expect(rotated.conflicts - store.conflicts).toBe(-1); // other bytes with the same content
  expect(await rotated.appendEvent(completed("another"))).toMatchObject({ runSeq: 1, conflict: true });
});

test("the first key encrypts, and every key decrypts", async () => {
  const { store, open } = shared();
  await (await open(OLD)).appendEvent(completed("one"));
  const rotated = await open(`${NEW}\n${OLD}`);
  await rotated.appendEvent(completed("two", "r2"));
  for (const [runId, output] of [
    ["r1", "one"],
    ["r2", "two"],
  ] as const)
    expect((await rotated.fetchEvents(runId))[0]?.eventData).toEqual({ output });
  expect(JSON.stringify(await store.fetchEvents("r2"))).toContain(`{"$encrypted":"new"}`);
});

test("a missing key is named, a wrong one is refused, and a lost one reads as encrypted", async () => {
  const { open } = shared();
  await (await open(OLD)).appendEvent(completed("zebra"));
  const missing = await open(NEW);
  await expect(missing.fetchEvents("r1")).rejects.toMatchObject({ code: "ENCRYPTION_KEY_MISSING", keyId: "old" });
  const wrong = await open(`old:${keyOf(3)}`);
  await expect(wrong.fetchEvents("r1")).rejects.toMatchObject({ code: "PAYLOAD_UNREADABLE", keyId: "old" });
  const lost = await open(NEW, { lostKeys: ["old"] });
  expect((await lost.fetchEvents("r1"))[0]?.eventData).toEqual({ output: { $encrypted: "old" } });
  expect((await lost.projectSnapshot("r1")).steps[0]).toMatchObject({ stepId: "load", status: "SUCCESS" });
});

test("a payload that was moved to another run is refused", async () => {
  const { store, open } = shared();
  const encrypted = await open(OLD);
  await encrypted.appendEvent(completed("zebra"));
  const [raw] = await store.fetchEvents("r1");
  await store.appendEvent(newEvent({ ...partsOf(raw!.eventData), runId: "r2" }));
  await expect(encrypted.fetchEvents("r2")).rejects.toMatchObject({ code: "PAYLOAD_UNREADABLE" });
});

const partsOf = (eventData: NewEvent["eventData"]) => ({
  eventType: "StepCompleted",
  stepId: "load",
  planVersion: "1",
  eventData,
});

test("tenants have different keys, derived or their own", async () => {
  const { store, open } = shared();
  const encrypted = await open(`${OLD}, acme|own:${keyOf(5)}`);
  for (const tenantId of ["acme", "beta", "gamma"])
    await encrypted.forTenant(tenantId).appendEvent(completed("zebra", `of-${tenantId}`));
  await encrypted.appendEvent(
    newEvent({ runId: "of-acme", eventType: "RunCompleted", planVersion: "1", eventData: { output: 1 } }),
  );
  const keyIds = async (tenant: string) =>
    (await store.fetchEvents(`of-${tenant}`)).map(({ eventData }) => (eventData as { output: object }).output);
  expect(await keyIds("acme")).toEqual([{ $encrypted: "own" }, { $encrypted: "own" }]);
  expect(await keyIds("beta")).toEqual([{ $encrypted: "old" }]);
  const without = await open(OLD, { lostKeys: ["own"] });
  expect((await without.fetchEvents("of-acme"))[0]?.eventData).toEqual({ output: { $encrypted: "own" } });
  expect((await without.fetchEvents("of-gamma"))[0]?.eventData).toEqual({ output: "zebra" });
});

test("a KMS unwraps the keys once", async () => {
  const { open } = shared();
  const calls: string[] = [];
  const unwrapKey = async ({ keyId, wrapped }: { keyId: string; wrapped: Uint8Array }) => {
    calls.push(keyId);
    return wrapped.subarray(3);
  };
  const wrapped = Buffer.concat([Buffer.from("kms"), Buffer.alloc(32, 1)]).toString("base64");
  const encrypted = await open(`old:${wrapped}`, { kms: { unwrapKey } });
  await encrypted.appendEvent(completed("zebra"));
  expect((await (await open(OLD)).fetchEvents("r1"))[0]?.eventData).toEqual({ output: "zebra" });
  expect(calls).toEqual(["old"]);
});

test.each([
  ["", "There is no key that all tenants share."],
  [`acme|a:${keyOf(1)}`, "There is no key that all tenants share."],
  ["a:AAAA", "Key a has 3 bytes instead of 32."],
  [`${OLD},acme|old:${keyOf(2)}`, "Key old occurs twice."],
  [`a|b|c:${keyOf(1)}`, "neither an id nor of the form tenant|id"],
])("the keys %j are refused, and no message contains a key", async (keys, message) => {
  const refused = shared().open(keys);
  await expect(refused).rejects.toThrow(message);
  await expect(refused).rejects.not.toThrow(keyOf(1));
});

test("concealed readers see the structure of encrypted and of older runs, but no payload", async () => {
  const { store, open } = shared();
  await store.appendEvent(completed("zebra", "older"));
  const encrypted = await open(OLD);
  const failure = { error: { code: "TIMEOUT", message: "zebra", retryable: false } };
  const failed = newEvent({ runId: "r1", eventType: "RunFailed", planVersion: "1", eventData: failure });
  await encrypted.appendEvents([completed("zebra"), failed]);
  const { concealed } = encrypted as { concealed?: MemoryStore };
  for (const runId of ["r1", "older"]) {
    const shown = JSON.stringify([await concealed!.fetchEvents(runId), await concealed!.projectSnapshot(runId)]);
    expect(shown).not.toContain("zebra");
    expect(shown).not.toContain("$sealed");
    expect(shown).toContain("load");
  }
  expect(await concealed!.projectSnapshot("r1")).toMatchObject({ error: { code: "TIMEOUT", message: "encrypted" } });
});

test("the largest artifact chunk fits, and a larger one is refused", async () => {
  const { store, open } = shared();
  const encrypted = await open(OLD);
  await encrypted.appendEvent(completed("zebra"));
  const artifact = { uri: "store://a1", runId: "r1", kind: "table" };
  const bytes = Buffer.alloc(MAX_CHUNK_BYTES, "zebra");
  await encrypted.artifacts.writeChunk({ artifact, chunk: 1, bytes });
  const [raw] = (await store.artifacts.readChunks({ uri: artifact.uri }))!.chunks;
  expect(Buffer.from(raw!).includes("zebra")).toBe(false);
  expect((await encrypted.artifacts.readChunks({ uri: artifact.uri }))!.chunks.map((one) => one.length)).toEqual([
    MAX_CHUNK_BYTES,
  ]);
  const larger = { artifact, chunk: 2, bytes: Buffer.alloc(MAX_CHUNK_BYTES + 1) };
  for (const one of [store, encrypted])
    await expect(one.artifacts.writeChunk(larger)).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
});

test("the largest payload fits, and a larger one is refused with the limit of the original", async () => {
  const { open } = shared();
  const encrypted = await open(OLD);
  const output = "x".repeat(MAX_EVENT_BYTES - '{"output":""}'.length);
  await encrypted.appendEvent(completed(output));
  expect((await encrypted.fetchEvents("r1"))[0]?.eventData).toEqual({ output });
  await expect(encrypted.appendEvent(completed(`${output}x`, "r2"))).rejects.toMatchObject({
    code: "PAYLOAD_TOO_LARGE",
  });
});
