// @module-tag E-04
import { createHash, randomUUID } from "node:crypto";
import { newEvent, type ArtifactChunk, type FullStateStore } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { PostgresStore } from "@runledger/store-postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";

const homes: Readonly<Record<string, () => Promise<FullStateStore>>> = {
  memory: async () => new MemoryStore(),
  postgres: async () => PostgresStore.open({ url: (await freshDatabase()).url }),
};

const bytes = (text: string): Uint8Array => Buffer.from(text);
const text = (chunks: readonly Uint8Array[] | undefined): string => Buffer.concat(chunks ?? []).toString();
const whole = (all: string) => ({ sha256: createHash("sha256").update(all).digest("hex"), sizeBytes: all.length });

describe.each(Object.keys(homes))("artifacts in the %s store", (name) => {
  let store: FullStateStore;
  beforeAll(async () => {
    store = await homes[name]!();
  });
  afterAll(() => store.close());

  async function newArtifact(tenantId = "acme"): Promise<ArtifactChunk["artifact"]> {
    const runId = `run_${randomUUID()}`;
    await store.forTenant(tenantId).appendEvent(newEvent({ runId, eventType: "RunStarted", planVersion: "1" }));
    return { uri: `store://art_${randomUUID()}`, runId, kind: "log", stepId: "load", attempt: 1 };
  }

  test("an artifact can be read chunk by chunk while it is written, until it is closed", async () => {
    const artifact = await newArtifact();
    const { uri } = artifact;
    await store.artifacts.writeChunk({ artifact, chunk: 1, bytes: bytes("first ") });
    const first = await store.artifacts.readChunks({ uri });
    expect([text(first?.chunks), first?.ended]).toEqual(["first ", false]);
    await store.artifacts.writeChunk({ artifact, chunk: 2, bytes: bytes("second"), whole: whole("first second") });
    const rest = await store.artifacts.readChunks({ uri, afterChunk: 1 });
    expect([text(rest?.chunks), rest?.ended]).toEqual(["second", true]);
    const part = await store.artifacts.readChunks({ uri, limit: 1 });
    expect([text(part?.chunks), part?.ended]).toEqual(["first ", false]);
    expect(await store.artifacts.listArtifacts({ runId: artifact.runId })).toEqual([
      { ...artifact, ...whole("first second"), createdAt: expect.any(String) as string },
    ]);
  });

  test("a repeated write has no effect, and nothing can be written after the last chunk", async () => {
    const artifact = await newArtifact();
    const chunk = { artifact, chunk: 1, bytes: bytes("once") };
    await store.artifacts.writeChunk(chunk);
    await store.artifacts.writeChunk({ ...chunk, bytes: bytes("another") });
    const last = { artifact, chunk: 2, bytes: bytes(""), whole: whole("once") };
    await store.artifacts.writeChunk(last);
    await store.artifacts.writeChunk(last);
    await store.artifacts.writeChunk({ artifact, chunk: 3, bytes: bytes("late"), whole: whole("late") });
    const read = await store.artifacts.readChunks({ uri: artifact.uri });
    expect([text(read?.chunks), read?.ended]).toEqual(["once", true]);
    expect(await store.artifacts.listArtifacts({ runId: artifact.runId })).toMatchObject([whole("once")]);
  });

  test("another tenant can neither read, list nor write a run's artifact", async () => {
    const artifact = await newArtifact("acme");
    const other = store.forTenant("other").artifacts!;
    await store.forTenant("acme").artifacts!.writeChunk({ artifact, chunk: 1, bytes: bytes("mine") });
    expect(await other.readChunks({ uri: artifact.uri })).toBeNull();
    expect(await other.listArtifacts({ runId: artifact.runId })).toEqual([]);
    const intrusion = other.writeChunk({ artifact, chunk: 2, bytes: bytes("yours") });
    await expect(intrusion).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
    const elsewhere = { ...artifact, runId: (await newArtifact("other")).runId };
    await other.writeChunk({ artifact: elsewhere, chunk: 2, bytes: bytes("yours") });
    expect(text((await store.artifacts.readChunks({ uri: artifact.uri }))?.chunks)).toBe("mine");
  });

  test("an artifact without a run, with a foreign URI or above the limit is refused and not stored", async () => {
    const artifact = await newArtifact();
    const chunk = { artifact, chunk: 1, bytes: bytes("x") };
    const nowhere = store.artifacts.writeChunk({ ...chunk, artifact: { ...artifact, runId: "run-nowhere" } });
    await expect(nowhere).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
    const elsewhere = store.artifacts.writeChunk({ ...chunk, artifact: { ...artifact, uri: "s3://bucket/key" } });
    await expect(elsewhere).rejects.toMatchObject({ code: "OPTION_INVALID", field: "artifact.uri" });
    const large = store.artifacts.writeChunk({ ...chunk, bytes: new Uint8Array(2 ** 20 + 1) });
    await expect(large).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
    expect(await store.artifacts.readChunks({ uri: artifact.uri })).toBeNull();
  });

  test("artifacts are listed oldest first, by step, and page by page", async () => {
    const artifact = await newArtifact();
    const uris = ["a", "b", "c"].map((id) => `${artifact.uri}-${id}`);
    for (const [at, uri] of uris.entries()) {
      const stepId = at === 1 ? "other" : "load";
      await store.artifacts.writeChunk({ artifact: { ...artifact, uri, stepId }, chunk: 1, bytes: bytes("x") });
    }
    const { runId } = artifact;
    const listed = async (more: object) =>
      (await store.artifacts.listArtifacts({ runId, ...more })).map(({ uri }) => uri);
    expect(await listed({})).toEqual(uris);
    expect(await listed({ stepId: "load" })).toEqual([uris[0], uris[2]]);
    expect(await listed({ afterUri: uris[0], limit: 1 })).toEqual([uris[1]]);
  });
});
