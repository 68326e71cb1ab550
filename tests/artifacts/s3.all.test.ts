// @module-tag D-01
import { describeWith } from "@runledger/test-support/requirements";
import { requireS3, s3Variables, startS3 } from "@runledger/test-support/s3-server";
import { afterAll, beforeAll, vi } from "vitest";
import { artifactConformance } from "./conformance/index.js";

const STREAMED_BYTES = 128 * 1024 * 1024; // 1 GB in buckets.long.test.ts

describeWith("a bucket of S3", requireS3, () => {
  let server: Awaited<ReturnType<typeof startS3>>;
  beforeAll(async () => {
    for (const [name, value] of Object.entries(s3Variables)) vi.stubEnv(name, value);
    server = await startS3();
  }, 1_000_000); // Go builds the server once
  afterAll(async () => {
    vi.unstubAllEnvs();
    await server?.stop();
  });
  const via = (address: string): string => `s3://runs/some/prefix?endpoint=http://${address}`;
  const address = (): string => server.address;
  const location = { url: () => via(server.address), via, address, hasLinks: true };
  artifactConformance("versitygw", location, { objects: true, streamedBytes: STREAMED_BYTES });
});
