/** A server of Google Cloud Storage for tests: fake-gcs-server, which Go builds, with its objects in a folder. */
import { generateKeyPairSync } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cached } from "../../../scripts/lib/cache-folder.mjs";
import { capture } from "../../../scripts/lib/spawn.mjs";
import { BrokerServer } from "./broker-server.js";
import { requireTool, type Requirement } from "./requirements.js";

const VERSION = "1.56.1";
const BUILD_MS = 900_000;

export const requireGcs: readonly Requirement[] = [requireTool("go")];

/** Starts a server with the bucket `runs`. It verifies no credentials and no signatures. */
export async function startGcs(): Promise<BrokerServer> {
  const program = join(await fakeGcsServer(), "fake-gcs-server");
  const server = await BrokerServer.start("gcs", async (port, folder) => {
    const address = ["-scheme", "http", "-host", "127.0.0.1", "-port", String(port)];
    const urls = ["-external-url", `http://127.0.0.1:${port}`, "-public-host", `127.0.0.1:${port}`];
    return { command: program, args: [...address, ...urls, "-backend", "filesystem", "-filesystem-root", folder] };
  });
  const body = JSON.stringify({ name: "runs" });
  const headers = { "content-type": "application/json" };
  const made = await fetch(`http://${server.address}/storage/v1/b?project=test`, { method: "POST", headers, body });
  if (!made.ok) throw new Error(`fake-gcs-server refused the bucket: ${await made.text()}`);
  return server;
}

/** Writes the key file of a service account, with which the SDK signs URLs. */
export function gcsVariables(folder: string, tokenUrl: string): { readonly GOOGLE_APPLICATION_CREDENTIALS: string } {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const account = {
    type: "service_account",
    project_id: "test",
    client_email: "test@test.iam.gserviceaccount.com",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    token_uri: tokenUrl,
  };
  const file = join(folder, "account.json");
  writeFileSync(file, JSON.stringify(account), { mode: 0o600 });
  return { GOOGLE_APPLICATION_CREDENTIALS: file };
}

function fakeGcsServer(): Promise<string> {
  return cached(`fake-gcs-server-${VERSION}`, async (draft) => {
    const env = { GOFLAGS: "-mod=mod", GOBIN: draft, CGO_ENABLED: "0" };
    const source = `github.com/fsouza/fake-gcs-server@v${VERSION}`;
    const args = ["install", "-trimpath", "-ldflags", "-s -w", source];
    const { code, stderr } = await capture("go", args, { cwd: draft, env, timeoutMs: BUILD_MS });
    if (code !== 0) throw new Error(`go install of fake-gcs-server failed: ${stderr}`);
    chmodSync(draft, 0o755); // the server runs as another user
  });
}
