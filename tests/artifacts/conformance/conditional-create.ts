import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { bytesOf, pieces, type Opened } from "./location.js";

export function conditionalCreate({ storage }: Opened): void {
  test.each([
    ["small", 1000],
    ["large", 9_000_000],
  ])("two attempts create the same %s object at once: one wins, and nothing is replaced", async (_, size) => {
    const key = `run/art_${randomUUID().replaceAll("-", "")}/rows`;
    const contents = ["a", "b"].map((letter) => Buffer.alloc(size, letter));
    const outcomes = await Promise.allSettled(contents.map((one) => storage()!.create({ key, content: pieces(one) })));
    const winner = outcomes.findIndex(({ status }) => status === "fulfilled");
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const [lost] = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(lost!.reason).toMatchObject({ code: "ARTIFACT_EXISTS" });
    const later = storage()!.create({ key, content: pieces(Buffer.alloc(size, "c")) });
    await expect(later).rejects.toMatchObject({ code: "ARTIFACT_EXISTS" });
    const stored = await bytesOf((await storage()!.read({ key }))!);
    expect(stored.equals(contents[winner]!)).toBe(true);
  });
}
