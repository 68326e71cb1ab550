/** A server of Azure Blob Storage for tests: Azurite, Microsoft's own server for development. */
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { BlobServiceClient, StorageSharedKeyCredential } from "@azure/storage-blob";
import { cached } from "../../../scripts/lib/cache-folder.mjs";
import { capture } from "../../../scripts/lib/spawn.mjs";
import { BrokerServer } from "./broker-server.js";

const PACKAGE = "azurite@3.35.0";

/** The account that every Azurite has. */
const ACCOUNT = "devstoreaccount1";
const KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
export const azureVariables = { AZURE_STORAGE_KEY: KEY };

/** Starts a server with the container `runs`. It refuses requests with other credentials. */
export async function startAzure(): Promise<BrokerServer> {
  const script = join(await azurite(), "node_modules", "azurite", "dist", "src", "blob", "main.js");
  const server = await BrokerServer.start("azure", async (port, folder) => {
    const address = ["--blobHost", "127.0.0.1", "--blobPort", String(port), "--location", folder];
    const quiet = ["--silent", "--disableTelemetry", "--skipApiVersionCheck"];
    return { command: process.execPath, args: [script, ...address, ...quiet] };
  });
  const credential = new StorageSharedKeyCredential(ACCOUNT, KEY);
  await new BlobServiceClient(azureEndpoint(server.address), credential).createContainer("runs");
  return server;
}

export function azureUrl(address: string): string {
  return `azure://${ACCOUNT}/runs/some/prefix?endpoint=${azureEndpoint(address)}`;
}

function azureEndpoint(address: string): string {
  return `http://${address}/${ACCOUNT}`;
}

function azurite(): Promise<string> {
  return cached(PACKAGE, async (draft) => {
    const args = ["install", "--prefix", draft, "--ignore-scripts", "--no-audit", "--no-fund", PACKAGE];
    const { code, stderr } = await capture("npm", args, { cwd: draft });
    if (code !== 0) throw new Error(`npm install of ${PACKAGE} failed: ${stderr}`);
    chmodSync(draft, 0o755); // the server runs as another user
  });
}
