/** Splits texts into groups of at most `maxBytes` in UTF-8. A larger text is its own group. */
export function chunksOf(texts: readonly string[], maxBytes: number): string[][] {
  const chunks: string[][] = [];
  let room = 0;
  for (const text of texts) {
    const size = Buffer.byteLength(text);
    if (size > room) {
      chunks.push([]);
      room = maxBytes;
    }
    chunks.at(-1)!.push(text);
    room -= size;
  }
  return chunks;
}
