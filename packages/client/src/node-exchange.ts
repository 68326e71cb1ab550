/**
 * Node's own HTTP client, a fraction of the work of its fetch: nothing is copied through web streams. It shares the
 * connections of the process, and is found without an import, so that nobody who bundles for a browser has to leave it out.
 */
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { fetchExchange, type Answer, type Exchange, type Outgoing } from "./exchange.js";

type Request = (options: RequestOptions) => ClientRequest;

/** As long as fetch would wait: the server gives up much earlier. */
const SILENCE_MS = 300_000;

/** Undefined = this is not Node. */
export function nodeExchange(address: string): Exchange | undefined {
  if (typeof process === "undefined" || typeof process.getBuiltinModule !== "function") return undefined;
  const { protocol, hostname, port, pathname } = new URL(address);
  const { request } = process.getBuiltinModule(protocol === "https:" ? "node:https" : "node:http");
  const server = { protocol, port, hostname: hostname.replace(/^\[|\]$/g, "") }; // an IPv6 address has none outside of URLs
  const elsewhere = fetchExchange(address);
  return async (path, outgoing) => {
    const answer = await exchange(request, { ...server, path: pathname + path }, outgoing);
    return isRedirect(answer) ? elsewhere(path, outgoing) : answer;
  };
}

function exchange(request: Request, server: RequestOptions, { body, ...head }: Outgoing): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ ...server, ...head, timeout: SILENCE_MS })
      .on("response", (response) => collect(response, resolve, reject))
      .on("timeout", () => sent.destroy(new Error("nothing was heard of it for 5 minutes")))
      .on("error", reject);
    sent.end(body);
  });
}

function collect(response: IncomingMessage, resolve: (answer: Answer) => void, reject: (error: Error) => void): void {
  let text = "";
  const { statusCode = 0, statusMessage = "", headers } = response;
  const header = (name: string): string | null => headers[name]?.toString() ?? null;
  response
    .setEncoding("utf8")
    .on("data", (part: string) => (text += part))
    .on("end", () => resolve({ status: statusCode, statusText: statusMessage, header, text }))
    .on("error", reject);
}

/** Seldom, and fetch knows where to and what may be sent there. */
function isRedirect({ status, header }: Answer): boolean {
  return status >= 300 && status < 400 && header("location") !== null;
}
