import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { bytesOf, pieces, type Opened } from "./location.js";

export function ranges({ port, newRun }: Opened): void {
  test("a reader gets exactly the range that it requests", async () => {
    const content = randomBytes(9_000_000);
    const artifact = { runId: await newRun(), kind: "rows" };
    const written = await port().write({ artifact, content: pieces(content) });
    const wanted: [number?, number?][] = [
      [0, 1],
      [10, 20],
      [8_388_600, 8_388_620],
      [8_999_999],
      [5, 5],
      [9_000_000],
      [0, 99_000_000],
    ];
    for (const [start, end] of wanted) {
      const range = { ...(start !== undefined && { start }), ...(end !== undefined && { end }) };
      const found = await bytesOf(port().read({ ...written, ...range }));
      expect(found.equals(content.subarray(start, end)), JSON.stringify(range)).toBe(true);
    }
  });
}
