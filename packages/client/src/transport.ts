/** One request and its answer; what is safe to repeat is repeated. */
import type { Problem } from "./api-types.js";
import { problemFor, ProblemError } from "./problem-error.js";

export interface ClientOptions {
  /** Where the server is: `http://127.0.0.1:7373`. Default in a browser: where the page is from. */
  readonly url?: string;
  /** An API key, a JWT, or the data directory's token; or how to get one. Absent = the session's cookie. */
  readonly token?: string | (() => string | Promise<string>);
  /** Acts for this tenant, where the token is good for more than one. */
  readonly tenant?: string;
  /** How often a request is sent in all before its error is thrown. Default 4. */
  readonly attempts?: number;
  /** The wait before the second attempt; it doubles. Default 200 ms. */
  readonly retryDelayMs?: number;
  readonly fetch?: typeof fetch;
}

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly query?: object | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** False = the second one would do something else than the first. */
  readonly isSafe?: boolean;
}

const MOST_DELAY_MS = 10_000;

export class Transport {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** The answer's body. Throws a ProblemError. */
  async json<T>(request: ApiRequest): Promise<T> {
    const response = await this.send(request);
    return (response.status === 204 ? undefined : await response.json()) as T;
  }

  /** Throws a ProblemError for whatever is no success. */
  async send(request: ApiRequest): Promise<Response> {
    const { attempts = 4, retryDelayMs = 200 } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.once(request);
      } catch (error) {
        const again = error instanceof ProblemError && error.family === "retry" && (request.isSafe ?? true);
        if (!again || attempt >= attempts || request.signal?.aborted === true) throw error;
        await pause(delay(error, retryDelayMs * 2 ** (attempt - 1)), request.signal);
      }
    }
  }

  async once(request: ApiRequest): Promise<Response> {
    const response = await this.#fetch(request);
    if (response.ok || response.status === 304) return response;
    const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
    throw Object.assign(new ProblemError(await problemOf(response)), { retryAfterMs: retryAfter * 1000 });
  }

  async #fetch({ method, path, query = {}, body, headers, signal }: ApiRequest): Promise<Response> {
    const { url = "", fetch: send = fetch } = this.#options;
    const init = {
      method,
      headers: { accept: "application/json", ...(await this.#credentials()), ...contentType(body), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    };
    try {
      return await send(`${url.replace(/\/$/, "")}/api/v1${path}${queryString(query)}`, init);
    } catch (error) {
      if (signal?.aborted === true) throw error;
      const why = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      const detail = `The server at ${url === "" ? "this address" : url} cannot be reached: ${why}`;
      throw new ProblemError(problemFor(0, detail), { cause: error });
    }
  }

  async #credentials(): Promise<Record<string, string>> {
    const { token, tenant } = this.#options;
    const value = typeof token === "function" ? await token() : token;
    return {
      ...(value === undefined ? {} : { authorization: `Bearer ${value}` }),
      ...(tenant === undefined ? {} : { "runledger-tenant": tenant }),
    };
  }
}

function contentType(body: unknown): Record<string, string> {
  return body === undefined ? {} : { "content-type": "application/json" };
}

function queryString(query: object): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(Object.fromEntries(pairs.map(([name, value]) => [name, String(value)]))).toString();
  return text === "" ? "" : `?${text}`;
}

async function problemOf(response: Response): Promise<Problem> {
  const isProblem = response.headers.get("content-type")?.startsWith("application/problem+json") ?? false;
  const problem = isProblem ? ((await response.json().catch(() => null)) as Problem | null) : null;
  return problem ?? problemFor(response.status, `The answer was ${response.status} ${response.statusText}`);
}

/** The server's word counts; else the delay, shortened by chance so that callers who fail together do not return together. */
function delay(error: ProblemError & { readonly retryAfterMs?: number }, delayMs: number): number {
  const said = error.retryAfterMs ?? Number.NaN;
  return Math.min(Number.isNaN(said) ? delayMs * (0.5 + Math.random() / 2) : said, MOST_DELAY_MS);
}

/** Ends early, without an error, when the signal is aborted. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
    signal?.addEventListener("abort", done);
    if (signal?.aborted === true) done();
  });
}
