import { FatalStepError, StepError } from "../../workflow/step-errors.js";

export interface Outgoing {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  /** By lower-case name. Omits cookies, because they are secrets of the server. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

interface Limits {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly checkUrl?: ((url: URL) => void) | undefined;
  /** Other hosts to which the request may be redirected. `checkUrl` decides instead, if it is set. */
  readonly redirectHosts: readonly string[];
}

const MAX_REDIRECTS = 5;
/** The headers that are sent to another host after a redirect. */
const HARMLESS = ["accept", "content-type", "idempotency-key"];

/** Sends the request, follows redirects, and reads the response up to its limit. */
export async function send(request: Outgoing, limits: Limits): Promise<Answer> {
  let current = request;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const { url, method, headers, body = null } = current;
    limits.checkUrl?.(url);
    const response = await fetch(url, { method, headers, body, redirect: "manual", signal: limits.signal });
    const next = redirected(current, response);
    if (next === null) return answerOf(response, limits.maxBytes);
    await response.body?.cancel();
    if (limits.checkUrl === undefined) checkHost(request.url, next.url, limits.redirectHosts);
    current = next;
  }
  throw new FatalStepError("HTTP_REDIRECT", `The server sent the request on more than ${MAX_REDIRECTS} times.`);
}

/** A server must not choose which other servers a worker calls: some trust callers of their own network. */
function checkHost(from: URL, { host }: URL, allowed: readonly string[]): void {
  if (host === from.host || allowed.includes(host)) return;
  const remedy = `Call ${host} directly, or add it to the step's redirectHosts.`;
  throw new FatalStepError("HTTP_REDIRECT", `The server redirected the request to another host, ${host}. ${remedy}`);
}

/** Follows a redirect as browsers do, but never to another scheme. Returns `null` if the response is not a redirect. */
function redirected(request: Outgoing, { status, headers }: Response): Outgoing | null {
  const location = headers.get("location");
  if (![301, 302, 303, 307, 308].includes(status) || location === null) return null;
  const url = URL.canParse(location, request.url.href) ? new URL(location, request.url) : null;
  if (url?.protocol !== request.url.protocol)
    throw new FatalStepError("HTTP_REDIRECT", "The server sent the request on to another scheme, or to no address.");
  const sameHost = url.origin === request.url.origin;
  const kept = new Headers([...request.headers].filter(([name]) => sameHost || HARMLESS.includes(name)));
  const keepsMethod = status >= 307 || request.method === "GET" || request.method === "HEAD";
  if (keepsMethod) return { ...request, url, headers: kept };
  kept.delete("content-type");
  return { url, method: "GET", headers: kept };
}

async function answerOf(response: Response, maxBytes: number): Promise<Answer> {
  const headers = Object.fromEntries([...response.headers].filter(([name]) => name !== "set-cookie"));
  return { status: response.status, headers, text: await textOf(response, maxBytes) };
}

async function textOf({ body }: Response, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += piece.byteLength;
    if (size > maxBytes) {
      const message = `The answer has more than ${maxBytes} bytes; ask for less, or raise maxBytes.`;
      throw new StepError("HTTP_BODY_TOO_LARGE", message, { retryable: false });
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
