/**
 * Sends requests through `node:http`, which costs a fraction of Node's fetch because nothing is copied through web streams.
 * It uses the process's global agent. The module is loaded without an import, so browser bundles need no exclusion.
 */
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { fetchExchange, type Exchange, type HttpRequest, type HttpResponse } from "./exchange.js";

type NodeRequest = (options: RequestOptions) => ClientRequest;

/** The same as fetch. The server gives up much earlier. */
const IDLE_TIMEOUT_MS = 300_000;

/** Returns `undefined` outside of Node. */
export function nodeExchange(address: string): Exchange | undefined {
  if (typeof process === "undefined" || typeof process.getBuiltinModule !== "function") return undefined;
  const { protocol, hostname, port, pathname } = new URL(address);
  const { request } = process.getBuiltinModule(protocol === "https:" ? "node:https" : "node:http");
  const server = { protocol, port, hostname: hostname.replace(/^\[|\]$/g, "") }; // only URLs put brackets around IPv6 addresses
  const viaFetch = fetchExchange(address);
  return async (path, outgoing) => {
    const response = await exchange(request, { ...server, path: pathname + path }, outgoing);
    return isRedirect(response) ? viaFetch(path, outgoing) : response;
  };
}

function exchange(request: NodeRequest, server: RequestOptions, { body, ...head }: HttpRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const sent = request({ ...server, ...head, timeout: IDLE_TIMEOUT_MS })
      .on("response", (response) => collect(response, resolve, reject))
      .on("timeout", () => sent.destroy(new Error("no response for 5 minutes")))
      .on("error", reject);
    sent.end(body);
  });
}

function collect(
  response: IncomingMessage,
  resolve: (response: HttpResponse) => void,
  reject: (error: Error) => void,
): void {
  let text = "";
  const { statusCode = 0, statusMessage = "", headers } = response;
  const header = (name: string): string | null => headers[name]?.toString() ?? null;
  response
    .setEncoding("utf8")
    .on("data", (part: string) => (text += part))
    .on("end", () => resolve({ status: statusCode, statusText: statusMessage, header, text }))
    .on("error", reject);
}

/** Redirects are rare. fetch follows them and decides which headers may be sent to the new address. */
function isRedirect({ status, header }: HttpResponse): boolean {
  return status >= 300 && status < 400 && header("location") !== null;
}
