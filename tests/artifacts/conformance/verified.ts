import { expect, test } from "vitest";
import { bytesOf, pieces, type Opened } from "./location.js";

const OTHER = "0".repeat(64);

export function verifiedContent({ port, newRun }: Opened): void {
  test("a reader does not get the last bytes of an artifact whose SHA-256 or size differs from its reference", async () => {
    const artifact = { runId: await newRun(), kind: "rows" };
    const written = await port().write({ artifact, content: pieces("some ", "rows") });
    for (const wrong of [{ sha256: OTHER }, { sizeBytes: 8 }, { sha256: OTHER, sizeBytes: 8 }]) {
      const read: Uint8Array[] = [];
      const reading = (async () => {
        for await (const piece of port().read({ ...written, ...wrong })) read.push(piece);
      })();
      await expect(reading).rejects.toMatchObject({ code: "ARTIFACT_DAMAGED", family: "stop" });
      expect(Buffer.concat(read).length).toBeLessThan(9);
    }
    expect((await bytesOf(port().read(written))).toString()).toBe("some rows");
  });

  test("an artifact whose content fails does not exist, and its error is kept", async () => {
    const runId = await newRun();
    const failure = new Error("the source is gone");
    async function* content(): AsyncGenerator<Uint8Array> {
      for (let part = 0; part < 3; part++) yield new Uint8Array(5_000_000);
      throw failure;
    }
    await expect(port().write({ artifact: { runId, kind: "rows" }, content: content() })).rejects.toBe(failure);
    const complete = (await port().list({ runId })).filter(
      ({ sha256, uri }) => sha256 !== undefined || !uri.startsWith("store:"),
    );
    expect(complete).toEqual([]);
  });
}
