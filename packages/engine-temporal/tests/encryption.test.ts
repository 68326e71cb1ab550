// @module-tag T-19
/** The payload codec. `tests/temporal/encryption` reads what a real server stores. */
import { createDecipheriv } from "node:crypto";
import { defaultPayloadConverter, type Payload } from "@temporalio/common";
import { expect, test } from "vitest";
import { EncryptionCodec } from "../src/client/encryption-codec.js";
import { failureConverter } from "../src/client/failure-converter.js";
import { parsePayloadKeys } from "@runledger/runtime/encryption/payload-keys";

const keyOf = (byte: number): string => Buffer.alloc(32, byte).toString("base64");
const OLD = `old:${keyOf(1)}`;
const NEW = `new:${keyOf(2)}`;
const codec = (...keys: readonly string[]): EncryptionCodec => new EncryptionCodec(parsePayloadKeys(keys.join(",")));

const payload = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);
const valueOf = (encoded: Payload): unknown => defaultPayloadConverter.fromPayload(encoded);

test.each([["text"], [{ a: [1, "ä"] }], [null], ["x".repeat(100_000)]])(
  "%j is the same after decryption",
  async (value) => {
    const [encoded] = await codec(NEW).encode([payload(value)]);
    expect(Buffer.from(encoded!.data!).includes(JSON.stringify(value))).toBe(false);
    const [decoded] = await codec(NEW).decode([encoded!]);
    expect(valueOf(decoded!)).toEqual(value);
  },
);

test("the format is AES-256-GCM with the key's id, a nonce in front and the tag at the end", async () => {
  const [{ metadata, data }] = (await codec(NEW).encode([payload("text")])) as [Payload];
  expect(Buffer.from(metadata!["encoding"]!).toString()).toBe("binary/encrypted");
  expect(Buffer.from(metadata!["encryption-key-id"]!).toString()).toBe("new");
  const decipher = createDecipheriv("aes-256-gcm", Buffer.alloc(32, 2), data!.subarray(0, 12));
  decipher.setAuthTag(data!.subarray(-16));
  const message = Buffer.concat([decipher.update(data!.subarray(12, -16)), decipher.final()]);
  expect(message.toString()).toContain(`"text"`);
  const again = await codec(NEW).encode([payload("text")]);
  expect(again[0]!.data).not.toEqual(data);
});

test("the first key encrypts, and every key decrypts", async () => {
  const before = await codec(OLD).encode([payload(1)]);
  const rotated = codec(NEW, OLD);
  const after = await rotated.encode([payload(2)]);
  const decoded = await rotated.decode([...before, ...after]);
  expect(decoded.map(valueOf)).toEqual([1, 2]);
  await expect(codec(NEW).decode(before)).rejects.toThrow("encrypted with key old, which this worker does not have");
});

test("a changed payload is refused, and one from before encryption is accepted", async () => {
  const [encoded] = await codec(NEW).encode([payload("text")]);
  const data = Buffer.from(encoded!.data!);
  data[20]! ^= 1;
  await expect(codec(NEW).decode([{ ...encoded!, data }])).rejects.toThrow("unable to authenticate data");
  const [plain] = await codec(NEW).decode([payload("plain")]);
  expect(valueOf(plain!)).toBe("plain");
});

test("messages and stacks of failures are payloads, which the codec encrypts", () => {
  const failure = failureConverter.errorToFailure(new Error("SECRET"), defaultPayloadConverter);
  const { encodedAttributes, ...rest } = failure;
  expect(JSON.stringify(rest)).not.toContain("SECRET");
  expect(valueOf(encodedAttributes!)).toMatchObject({ message: "SECRET" });
});

test.each([
  ["nothing", "", "There is no key."],
  ["no id", keyOf(1), "Key 1 is not of the form id:base64."],
  ["a short key", "a:AAAA", "Key a has 3 bytes instead of 32."],
  ["one id twice", `a:${keyOf(1)}\na:${keyOf(2)}`, "Key a occurs twice."],
])("%s is refused, and no message contains a key", (_, text, message) => {
  expect(() => parsePayloadKeys(text)).toThrow(message);
  expect(() => parsePayloadKeys(text)).not.toThrow(keyOf(1));
});
