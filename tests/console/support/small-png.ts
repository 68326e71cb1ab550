/**
 * Reduces a screenshot to its 256 most frequent colors and replaces the others with the nearest one. The result has a third
 * of the size, and the difference is not visible.
 */
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");

/** `png` must have 8 bits per channel, RGB or RGBA, and no interlacing, as screenshots do. */
export function smallPng(png: Buffer): Buffer {
  const chunks = chunksOf(png);
  const header = chunks.find(({ type }) => type === "IHDR")!.data;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)] as const;
  const channels = header[9] === 6 ? 4 : 3;
  const data = inflateSync(Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map(({ data: body }) => body)));
  const pixels = unfilter(data, width, height, channels);
  const palette = mostUsed(pixels, 256);
  const place = new Map(palette.map((colour, index) => [colour, index]));
  const lines = Buffer.alloc((width + 1) * height);
  pixels.forEach((colour, at) => {
    if (!place.has(colour)) place.set(colour, nearest(palette, colour));
    lines[at + Math.floor(at / width) + 1] = place.get(colour)!;
  });
  const indexed = Buffer.from(header);
  indexed[9] = 3;
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  const parts: readonly (readonly [string, Buffer])[] = [
    ["IHDR", indexed],
    ["PLTE", colours],
    ["IDAT", deflateSync(lines, { level: 9 })],
    ["IEND", Buffer.alloc(0)],
  ];
  return Buffer.concat([SIGNATURE, ...parts.map(([type, body]) => chunk(type, body))]);
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

function chunksOf(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString("latin1", at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** Returns the colors line by line as numbers. */
function unfilter(data: Buffer, width: number, height: number, channels: number): Uint32Array {
  const pixels = new Uint32Array(width * height);
  const stride = width * channels;
  let before = Buffer.alloc(stride);
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1);
    const line = Buffer.from(data.subarray(start + 1, start + 1 + stride));
    for (let x = 0; x < stride; x++) {
      const left = x < channels ? 0 : line[x - channels]!;
      const corner = x < channels ? 0 : before[x - channels]!;
      line[x] = (line[x]! + predicted(data[start]!, left, before[x]!, corner)) & 255;
    }
    for (let x = 0; x < width; x++) {
      const at = x * channels;
      pixels[y * width + x] = (line[at]! << 16) | (line[at + 1]! << 8) | line[at + 2]!;
    }
    before = line;
  }
  return pixels;
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) return 0;
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)] as const;
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

function mostUsed(pixels: Uint32Array, most: number): readonly number[] {
  const uses = new Map<number, number>();
  for (const colour of pixels) uses.set(colour, (uses.get(colour) ?? 0) + 1);
  return [...uses]
    .sort(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([colour]) => colour);
}

function nearest(palette: readonly number[], colour: number): number {
  const distance = (other: number): number =>
    [16, 8, 0].reduce((sum, shift) => sum + (((colour >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);
  let best = 0;
  for (let index = 1; index < palette.length; index++)
    if (distance(palette[index]!) < distance(palette[best]!)) best = index;
  return best;
}
