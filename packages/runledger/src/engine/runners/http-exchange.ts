import { FatalStepError, StepError } from "../step-errors.js";

export interface Outgoing {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  /** By lower-case name. Cookies are left out: they are secrets of the server's. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

interface Limits {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly mayAsk?: ((url: URL) => void) | undefined;
}

const MAX_REDIRECTS = 5;
/** What another host gets to see; it was not meant to have the rest. */
const HARMLESS = ["accept", "content-type", "idempotency-key"];

/** Sends, follows where it is sent on, and reads the answer up to its limit. */
export async function send(request: Outgoing, limits: Limits): Promise<Answer> {
  let current = request;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const { url, method, headers, body = null } = current;
    limits.mayAsk?.(url);
    const response = await fetch(url, { method, headers, body, redirect: "manual", signal: limits.signal });
    const next = redirected(current, response);
    if (next === null) return answerOf(response, limits.maxBytes);
    await response.body?.cancel();
    current = next;
  }
  throw new FatalStepError("HTTP_REDIRECT", `The server sent the request on more than ${MAX_REDIRECTS} times.`);
}

/** As browsers do it, but never to another scheme. Null = it is an answer. */
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
