/**
 * Groups a stream into parts of `sizeOf(part)` bytes, where `part` counts from 1. Only the last part is smaller; an empty
 * stream has one empty part.
 */
export async function* objectParts(
  content: AsyncIterable<Uint8Array>,
  sizeOf: (part: number) => number,
): AsyncGenerator<{ readonly part: number; readonly bytes: Uint8Array; readonly isLast: boolean }, undefined> {
  let part = 1;
  let bytes = new Uint8Array(sizeOf(part));
  let used = 0;
  for await (const piece of content)
    for (let from = 0; from < piece.byteLength;) {
      if (used === bytes.byteLength) {
        yield { part: part++, bytes, isLast: false };
        bytes = new Uint8Array(sizeOf(part));
        used = 0;
      }
      const some = piece.subarray(from, from + bytes.byteLength - used);
      bytes.set(some, used);
      used += some.byteLength;
      from += some.byteLength;
    }
  yield { part, bytes: bytes.slice(0, used), isLast: true };
  return undefined;
}
