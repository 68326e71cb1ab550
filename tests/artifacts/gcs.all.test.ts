// @module-tag D-01
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gcsVariables, requireGcs, startGcs } from "@runledger/test-support/gcs-server";
import { describeWith } from "@runledger/test-support/requirements";
import { afterAll, beforeAll, vi } from "vitest";
import { artifactConformance } from "./conformance/index.js";

const STREAMED_BYTES = 64 * 1024 * 1024; // 1 GB in buckets.long.test.ts

describeWith("a bucket of Google Cloud Storage", requireGcs, () => {
  let server: Awaited<ReturnType<typeof startGcs>>;
  const folder = mkdtempSync(join(tmpdir(), "runledger-gcs-"));
  beforeAll(async () => {
    server = await startGcs();
    const variables = gcsVariables(folder, `http://${server.address}/token`);
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  }, 1_000_000); // Go builds the server once
  afterAll(async () => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
    await server?.stop();
  });
  const via = (address: string): string => `gs://runs/some/prefix?endpoint=http://${address}`;
  const parts = { via, address: (): string => server.address, hasLinks: true, checksLinks: false, listsParts: false };
  artifactConformance(
    "fake-gcs-server",
    { url: () => via(server.address), ...parts },
    { objects: true, streamedBytes: STREAMED_BYTES },
  );
});
