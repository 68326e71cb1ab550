import { expect, test } from "vitest";
import { artifactIdOf } from "@runledger/contracts";
import { pieces, type Opened } from "./location.js";

export function listing({ port, newRun }: Opened): void {
  test("artifacts are listed oldest first, by step and page by page", async () => {
    const runId = await newRun();
    await newRun("acme", `${runId}0`); // a longer name
    await port().write({ artifact: { runId: `${runId}0`, kind: "rows" }, content: pieces("x") });
    const ids: string[] = [];
    for (const stepId of ["load", "check", "load"]) {
      const artifact = { runId, stepId, attempt: 2, kind: "rows" };
      ids.push(artifactIdOf((await port().write({ artifact, content: pieces("rows") })).uri)!);
      await new Promise((resolve) => setTimeout(resolve, 2)); // ids sort by milliseconds
    }
    const listed = async (more: object) => (await port().list({ runId, ...more })).map(({ uri }) => artifactIdOf(uri));
    expect(await listed({})).toEqual(ids);
    expect(await listed({ stepId: "load" })).toEqual([ids[0], ids[2]]);
    expect(await listed({ afterId: ids[0], limit: 1 })).toEqual([ids[1]]);
    expect(await listed({ afterId: ids[2] })).toEqual([]);
    const [first] = await port().list({ runId, limit: 1 });
    expect(first).toMatchObject({ runId, kind: "rows", stepId: "load", attempt: 2, sizeBytes: 4 });
    expect(Math.abs(Date.parse(first!.createdAt) - Date.now())).toBeLessThan(3_600_000);
  });
}
