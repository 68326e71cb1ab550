// @module-tag D-04
import type { Artifacts } from "@runledger/contracts";
import { expect, test } from "vitest";
import { imageType } from "./image-type.js";
import { readRange } from "./read-range.js";

const KB = 1024;
const MB = 1024 * KB;

/** An artifact whose chunks have these sizes. */
function stored(sizes: readonly number[]) {
  const read = { chunks: 0 };
  const starts = sizes.map((_, index) => sizes.slice(0, index).reduce((sum, size) => sum + size, 0));
  const sizeBytes = sizes.reduce((sum, size) => sum + size, 0);
  const content = Buffer.alloc(sizeBytes, "no period of the chunks");
  const contentAt = (index: number) => content.subarray(starts[index], starts[index]! + sizes[index]!);
  const readChunks: Artifacts["readChunks"] = async ({ afterChunk = 0, limit = 16 }) => {
    const to = Math.min(sizes.length, afterChunk + limit);
    const chunks = Array.from({ length: Math.max(0, to - afterChunk) }, (_, index) => contentAt(afterChunk + index));
    read.chunks += chunks.length;
    return { chunks, ended: afterChunk + chunks.length >= sizes.length };
  };
  const range = (offset: number, length: number) =>
    readRange({ readChunks } as Artifacts, { uri: "store://a", sizeBytes }, { offset, length });
  const expected = (offset: number, length: number) => content.subarray(offset, offset + length);
  return { range, expected, read, sizeBytes };
}

test("a part near either end is exact for chunks of any size", async () => {
  const uneven = Array.from({ length: 70 }, (_, index) => ((index * 7919) % 900) * KB + 1);
  const { range, expected, sizeBytes } = stored(uneven);
  expect(sizeBytes).toBeGreaterThan(24 * MB);
  for (const offset of [0, 1, 300 * KB, 5 * MB, sizeBytes - 8, sizeBytes - 200 * KB, sizeBytes - 12 * MB])
    for (const length of [1, 8, 3 * MB]) {
      const found = await range(offset, length);
      expect(found.equals(expected(offset, length))).toBe(true);
    }
  expect(await range(sizeBytes, 10)).toHaveLength(0);
});

test("the end of a large artifact is found with few reads, and its middle is refused", async () => {
  const even = [...Array.from({ length: 400 }, () => 256 * KB), 1000];
  const { range, expected, read, sizeBytes } = stored(even);
  expect((await range(sizeBytes - 100, 100)).equals(expected(sizeBytes - 100, 100))).toBe(true);
  expect(read.chunks).toBeLessThanOrEqual(12);
  await expect(range(50 * MB, 100)).rejects.toMatchObject({ code: "REQUEST_INVALID", field: "query.offset" });
});

test("images are recognized by their content, and nothing else is one", () => {
  const type = (text: string) => imageType(Buffer.from(text, "latin1"));
  expect(type("\x89PNG\r\n\x1a\n....")).toBe("image/png");
  expect(type("\xff\xd8\xff\xe0")).toBe("image/jpeg");
  expect(type("GIF89a")).toBe("image/gif");
  expect(type("RIFF\0\0\0\0WEBPVP8 ")).toBe("image/webp");
  expect(type('<?xml version="1.0"?>\n<!-- a chart -->\n<svg xmlns="http://www.w3.org/2000/svg">')).toBe(
    "image/svg+xml",
  );
  for (const text of ["<html><svg>", "<script>", "png", "", "<svgx>", "%PDF-1.7"]) expect(type(text)).toBeUndefined();
});
