/**
 * Temporal's message `Payload` as bytes: a map of metadata (field 1) and data (field 2), both length-delimited. Written
 * here, because the SDK does not export its protobuf types.
 */
import type { Payload } from "@temporalio/common";

const [KEY, VALUE] = [1, 2];
const [METADATA, DATA] = [1, 2];
const LENGTH_DELIMITED = 2;

export function encodePayload({ metadata, data }: Payload): Buffer {
  const entries = Object.entries(metadata ?? {}).map(([name, value]) =>
    field(METADATA, Buffer.concat([field(KEY, Buffer.from(name)), field(VALUE, value)])),
  );
  return Buffer.concat([...entries, field(DATA, data ?? new Uint8Array())]);
}

export function decodePayload(bytes: Uint8Array): Payload {
  const metadata: Record<string, Uint8Array> = {};
  let data = new Uint8Array();
  for (const [number, value] of fields(bytes)) {
    if (number === DATA) data = new Uint8Array(value);
    if (number !== METADATA) continue;
    const entry = new Map(fields(value));
    metadata[Buffer.from(entry.get(KEY) ?? []).toString()] = entry.get(VALUE) ?? new Uint8Array();
  }
  return { metadata, data };
}

function field(number: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([varint((number << 3) | LENGTH_DELIMITED), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}

function* fields(bytes: Uint8Array): Generator<readonly [number, Uint8Array]> {
  let at = 0;
  const next = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error("A decrypted payload is not a message of Temporal.");
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const number = next() >> 3;
    const length = next();
    yield [number, bytes.subarray(at, (at += length))];
  }
}
