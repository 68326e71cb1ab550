import { omitUndefined } from "@runledger/contracts";
import { fetchExchange, readResponse, type Exchange, type HttpRequest, type HttpResponse } from "./exchange.js";
import { nodeExchange } from "./node-exchange.js";
import { problemFor, ProblemError, problemOf } from "./problem-error.js";
import { anySignal, withRetry, type RetryOptions } from "./retry.js";

export interface ClientOptions extends RetryOptions {
  /** The server's address, for example `http://127.0.0.1:7373`. Default in a browser: the page's origin. */
  readonly url?: string;
  /** An API key, a JWT or the data directory's token, or a function that returns one. Default: the session cookie. */
  readonly token?: string | (() => string | Promise<string>);
  /** The tenant to act for, if the token is valid for several. */
  readonly tenant?: string;
  /** Sends every request. Default: the global fetch; in Node `node:http`, which is cheaper, except for streams. */
  readonly fetch?: typeof fetch;
  /** Aborts all requests of this client, including those that wait for a retry. Methods throw the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly query?: object | undefined;
  readonly body?: unknown;
  /** The body as serialized JSON. Takes the place of `body`. */
  readonly json?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** `false` if sending the request twice has another effect than sending it once. Such a request is not retried. */
  readonly isSafe?: boolean;
}

export class Transport {
  /** Aborts every request. */
  readonly signal: AbortSignal | undefined;
  readonly #options: ClientOptions;
  readonly #address: string;
  #opened: Exchange | undefined;

  constructor(options: ClientOptions) {
    this.signal = options.signal;
    this.#options = options;
    this.#address = `${(options.url ?? "").replace(/\/$/, "")}/api/v1`;
  }

  /** Returns the parsed response body. Throws a ProblemError if the status is not 2xx. */
  async json<T>(unsignaled: ApiRequest): Promise<T> {
    const request = this.#withSignal(unsignaled);
    const { status, text } = await withRetry(this.#options, request, () => this.#exchangeOnce(request));
    return (status === 204 ? undefined : JSON.parse(text)) as T;
  }

  /** Returns a response whose body the caller streams. Throws a ProblemError if the status is not 2xx. */
  send(request: ApiRequest): Promise<Response> {
    return withRetry(this.#options, this.#withSignal(request), () => this.sendOnce(request));
  }

  /** Like `send`, but without retries. */
  async sendOnce(unsignaled: ApiRequest): Promise<Response> {
    const { fetch: send = fetch } = this.#options;
    const request = this.#withSignal(unsignaled);
    const outgoing = await this.#toHttpRequest(request);
    const response = await this.#reach(request, () => send(this.#address + pathOf(request), outgoing));
    if (!response.ok) throw problemOf(await readResponse(response));
    return response;
  }

  #withSignal(request: ApiRequest): ApiRequest {
    return { ...request, signal: anySignal(this.signal, request.signal) };
  }

  async #exchangeOnce(request: ApiRequest): Promise<HttpResponse> {
    const outgoing = await this.#toHttpRequest(request);
    const response = await this.#reach(request, () => this.#exchange()(pathOf(request), outgoing));
    if (response.status < 200 || response.status > 299) throw problemOf(response);
    return response;
  }

  /** Uses `node:http` only if the caller did not pass a `fetch`. */
  #exchange(): Exchange {
    const { fetch: own } = this.#options;
    this.#opened ??= (own === undefined ? nodeExchange(this.#address) : undefined) ?? fetchExchange(this.#address, own);
    return this.#opened;
  }

  async #reach<T>({ signal }: ApiRequest, send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      signal?.throwIfAborted();
      const { url = "" } = this.#options;
      const detail = `Cannot reach the server at ${url === "" ? "this address" : url}: ${reasonOf(error)}`;
      throw new ProblemError(problemFor(0, detail), { cause: error });
    }
  }

  async #toHttpRequest({
    method,
    body,
    json = JSON.stringify(body),
    headers,
    signal,
  }: ApiRequest): Promise<HttpRequest> {
    const content = json === undefined ? {} : { "content-type": "application/json" };
    return {
      method,
      headers: { accept: "application/json", ...(await this.#credentials()), ...content, ...headers },
      ...omitUndefined({ body: json, signal }),
    };
  }

  async #credentials(): Promise<Record<string, string>> {
    const { token, tenant } = this.#options;
    const value = typeof token === "function" ? await token() : token;
    return {
      ...(value === undefined ? {} : { authorization: `Bearer ${value}` }),
      ...omitUndefined({ "runledger-tenant": tenant }),
    };
  }
}

function queryString(query: object): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(Object.fromEntries(pairs.map(([name, value]) => [name, String(value)]))).toString();
  return text === "" ? "" : `?${text}`;
}

function pathOf({ path, query }: ApiRequest): string {
  return query === undefined ? path : path + queryString(query);
}

/** Prefers the cause: fetch's own message is only "fetch failed", and an AggregateError has none. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return error.message === "" && "code" in error ? String(error.code) : error.message;
}
