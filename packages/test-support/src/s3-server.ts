/** A server of S3 for tests: versitygw, which Go builds, with its objects in a folder. */
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { cached } from "../../../scripts/lib/cache-folder.mjs";
import { capture } from "../../../scripts/lib/spawn.mjs";
import { BrokerServer } from "./broker-server.js";
import { requireTool, type Requirement } from "./requirements.js";

const VERSION = "1.8.0";
const BUILD_MS = 900_000;

export const requireS3: readonly Requirement[] = [requireTool("go")];

/** It refuses requests with other credentials. */
const ACCESS_KEY = "runledger-test";
const SECRET_KEY = "runledger-test-secret";
export const s3Variables = { AWS_ACCESS_KEY_ID: ACCESS_KEY, AWS_SECRET_ACCESS_KEY: SECRET_KEY };

/** Starts a server with the bucket `runs`. The objects of the bucket are files in `folder/runs`. */
export async function startS3(): Promise<BrokerServer> {
  const program = join(await versitygw(), "versitygw");
  const env = { ROOT_ACCESS_KEY: ACCESS_KEY, ROOT_SECRET_KEY: SECRET_KEY };
  const server = await BrokerServer.start("s3", async (port, folder) => {
    return { command: program, args: ["--port", `127.0.0.1:${port}`, "posix", folder], env };
  });
  const credentials = { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY };
  const endpoint = `http://${server.address}`;
  const client = new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true, credentials });
  await client.send(new CreateBucketCommand({ Bucket: "runs" }));
  client.destroy();
  return server;
}

function versitygw(): Promise<string> {
  return cached(`versitygw-${VERSION}`, async (draft) => {
    const env = { GOFLAGS: "-mod=mod", GOBIN: draft, CGO_ENABLED: "0" };
    const source = `github.com/versity/versitygw/cmd/versitygw@v${VERSION}`;
    const args = ["install", "-trimpath", "-ldflags", "-s -w", source];
    const { code, stderr } = await capture("go", args, { cwd: draft, env, timeoutMs: BUILD_MS });
    if (code !== 0) throw new Error(`go install of versitygw failed: ${stderr}`);
    chmodSync(draft, 0o755); // the server runs as another user
  });
}
