// @module-tag D-01
/** 1 GB through each bucket. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { azureUrl, azureVariables, startAzure } from "@runledger/test-support/azure-server";
import { gcsVariables, requireGcs, startGcs } from "@runledger/test-support/gcs-server";
import { describeWith } from "@runledger/test-support/requirements";
import { requireS3, s3Variables, startS3 } from "@runledger/test-support/s3-server";
import { afterAll, beforeAll, vi } from "vitest";
import { flatMemory } from "./conformance/memory.js";

const BYTES = 1024 * 1024 * 1024;

type Server = Awaited<ReturnType<typeof startS3>>;
type Variables = Readonly<Record<string, string>>;

function streams(start: () => Promise<Server>, variables: Variables, url: (address: string) => string): void {
  let server: Server;
  beforeAll(async () => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    server = await start();
  }, 1_000_000); // builds the server once
  afterAll(async () => {
    vi.unstubAllEnvs();
    await server?.stop();
  });
  flatMemory({ url: () => url(server.address) }, BYTES);
}

describeWith("versitygw", requireS3, () => streams(startS3, s3Variables, (at) => `s3://runs/a?endpoint=http://${at}`));
describeWith("Azurite", [], () => streams(startAzure, azureVariables, azureUrl));
describeWith("fake-gcs-server", requireGcs, () => {
  const folder = mkdtempSync(join(tmpdir(), "runledger-gcs-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  streams(startGcs, gcsVariables(folder, "http://127.0.0.1:9/none"), (at) => `gs://runs/a?endpoint=http://${at}`);
});
