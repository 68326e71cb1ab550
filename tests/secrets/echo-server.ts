/** A server that answers with what it receives. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

const JSON_TYPE = { "content-type": "application/json" };

/** `/refuse` fails, and `/broken` returns invalid JSON with the content type of JSON. */
export async function startEcho(): Promise<string> {
  const server = createServer(({ headers, url = "" }, response) => {
    const { authorization = "" } = headers;
    const echoed = JSON.stringify({ headers, url, query: new URL(url, "http://host").searchParams.get("q") });
    const status = url.startsWith("/refuse") ? 500 : 200;
    const text = url.startsWith("/broken") ? `{"a": ${authorization}` : echoed;
    response.writeHead(status, { ...JSON_TYPE, "x-echo": encodeURIComponent(authorization) }).end(text);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
