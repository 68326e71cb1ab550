/** Answers like a DynamoDB whose table is empty and migrated, for tests that need a store and no server. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface DynamoStub {
  readonly endpoint: string;
  stop(): Promise<void>;
}

const ANSWERS: Readonly<Record<string, object>> = {
  DescribeTable: { Table: { TableStatus: "ACTIVE" } },
  GetItem: { Item: { layout: { N: "1" } } },
};

export async function startDynamoStub(): Promise<DynamoStub> {
  const server = createServer((request, response) => {
    const operation = String(request.headers["x-amz-target"]).split(".")[1] ?? "";
    request.resume().on("end", () => {
      response.setHeader("content-type", "application/x-amz-json-1.0");
      response.end(JSON.stringify(ANSWERS[operation] ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
