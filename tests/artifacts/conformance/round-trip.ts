import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { bytesOf, pieces, type Opened } from "./location.js";

const MIB = 1024 * 1024;

export function roundTrip({ port, newRun }: Opened): void {
  test.each([0, 1, 8 * MIB - 1, 8 * MIB, 8 * MIB + 1, 20 * MIB + 7])(
    "%i bytes are read as they were written",
    async (size) => {
      const content = randomBytes(size);
      const runId = await newRun();
      const cuts = [content.subarray(0, size / 3), content.subarray(size / 3)];
      const written = await port().write({ artifact: { runId, kind: "rows" }, content: pieces(...cuts) });
      const sha256 = createHash("sha256").update(content).digest("hex");
      expect(written).toEqual({ uri: written.uri, kind: "rows", sha256, sizeBytes: size });
      expect((await bytesOf(port().read(written))).equals(content)).toBe(true);
    },
  );

  test("names of runs, steps and kinds may have any characters", async () => {
    const runId = await newRun("acme", `../run ${"ü".repeat(20)}%2F/./${Date.now()}`);
    const artifact = { runId, stepId: `each/7/${"x".repeat(200)}`, attempt: 3, kind: 'orders "2026".csv/..' };
    const { uri } = await port().write({ artifact, content: pieces("rows") });
    expect((await bytesOf(port().read({ uri }))).toString()).toBe("rows");
    expect(await port().list({ runId })).toMatchObject([{ uri, kind: artifact.kind, attempt: 3, sizeBytes: 4 }]);
  });

  test("artifacts are found by the id of their step, no matter how long it is", async () => {
    const runId = await newRun();
    const [stepId, other] = [`each/7/${"x".repeat(240)}a`, `each/7/${"x".repeat(240)}b`];
    const { uri } = await port().write({ artifact: { runId, stepId, kind: "rows" }, content: pieces("rows") });
    await port().write({ artifact: { runId, stepId: other, kind: "rows" }, content: pieces("rows") });
    expect(await port().list({ runId, stepId })).toMatchObject([{ uri, stepId }]);
  });
}
