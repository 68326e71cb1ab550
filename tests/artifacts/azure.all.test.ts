// @module-tag D-01
import { azureUrl, azureVariables, startAzure } from "@runledger/test-support/azure-server";
import { afterAll, beforeAll, describe, vi } from "vitest";
import { artifactConformance } from "./conformance/index.js";

const STREAMED_BYTES = 128 * 1024 * 1024; // 1 GB in buckets.long.test.ts

describe("a container of Azure Blob Storage", () => {
  let server: Awaited<ReturnType<typeof startAzure>>;
  beforeAll(async () => {
    for (const [name, value] of Object.entries(azureVariables)) vi.stubEnv(name, value);
    server = await startAzure();
  }, 1_000_000); // npm installs the server once
  afterAll(async () => {
    vi.unstubAllEnvs();
    await server?.stop();
  });
  const parts = { via: azureUrl, address: (): string => server.address, hasLinks: true };
  artifactConformance(
    "Azurite",
    { url: () => azureUrl(server.address), ...parts },
    { objects: true, streamedBytes: STREAMED_BYTES },
  );
});
