import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { bytesOf, pieces, type Opened } from "./location.js";

const how = { fileName: "rows", expiresInSeconds: 60 };

export function visibility({ port, newRun }: Opened): void {
  test("C5: the artifacts of another tenant's run do not exist", async () => {
    const runId = await newRun("acme");
    const written = await port("acme").write({ artifact: { runId, kind: "rows" }, content: pieces("rows") });
    const other = port("umbrella");
    await expect(bytesOf(other.read(written))).rejects.toMatchObject({ code: "ARTIFACT_NOT_FOUND" });
    expect(await other.list({ runId })).toEqual([]);
    expect(await other.link({ uri: written.uri, ...how })).toBeNull();
    const foreign = other.write({ artifact: { runId, kind: "rows" }, content: pieces("x") });
    await expect(foreign).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
    expect(await port("acme").list({ runId })).toHaveLength(1);
  });

  test("an address outside of the location, or one that climbs out of it, is not read", async () => {
    const runId = await newRun();
    const { uri } = await port().write({ artifact: { runId, kind: "rows" }, content: pieces("rows") });
    const root = port().location;
    const climbing = [`${root}/../etc/art_0/passwd`, `${uri}/../../../art_1/x`, `${root}/${runId}/art_1%2F../x`];
    for (const wrong of [...climbing, `${uri}0`, `s3://elsewhere-${randomUUID()}/run/art_1/x`, `${root}x/run/art_1/y`])
      await expect(bytesOf(port().read({ uri: wrong })), wrong).rejects.toMatchObject({ code: "ARTIFACT_NOT_FOUND" });
  });
}
