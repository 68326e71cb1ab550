/** One request and its answer. */
import { fetchExchange, readAnswer, type Answer, type Exchange, type Outgoing } from "./exchange.js";
import { nodeExchange } from "./node-exchange.js";
import { either, patiently, type Patience } from "./patience.js";
import { problemFor, ProblemError, problemOf } from "./problem-error.js";

export interface ClientOptions extends Patience {
  /** Where the server is: `http://127.0.0.1:7373`. Default in a browser: where the page is from. */
  readonly url?: string;
  /** An API key, a JWT, or the data directory's token; or how to get one. Absent = the session's cookie. */
  readonly token?: string | (() => string | Promise<string>);
  /** Acts for this tenant, where the token is good for more than one. */
  readonly tenant?: string;
  /** Every request goes through it. Default: fetch; in Node its HTTP client, which is cheaper, for answers that are read whole. */
  readonly fetch?: typeof fetch;
  /** Ends whatever this client does: what is under way, and what waits for its next attempt. Methods throw its reason. */
  readonly signal?: AbortSignal;
}

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly query?: object | undefined;
  readonly body?: unknown;
  /** The body, where it is JSON already. */
  readonly json?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** False = the second one would do something else than the first. */
  readonly isSafe?: boolean;
}

export class Transport {
  /** What ends every request. */
  readonly signal: AbortSignal | undefined;
  readonly #options: ClientOptions;
  readonly #address: string;
  #opened: Exchange | undefined;

  constructor(options: ClientOptions) {
    this.signal = options.signal;
    this.#options = options;
    this.#address = `${(options.url ?? "").replace(/\/$/, "")}/api/v1`;
  }

  /** The answer's body. Throws a ProblemError for whatever is no success. */
  async json<T>(asked: ApiRequest): Promise<T> {
    const request = this.#ending(asked);
    const { status, text } = await patiently(this.#options, request, () => this.#answer(request));
    return (status === 204 ? undefined : JSON.parse(text)) as T;
  }

  /** For an answer that is read as it comes. Throws a ProblemError for whatever is no success. */
  send(request: ApiRequest): Promise<Response> {
    return patiently(this.#options, this.#ending(request), () => this.once(request));
  }

  async once(asked: ApiRequest): Promise<Response> {
    const { fetch: send = fetch } = this.#options;
    const request = this.#ending(asked);
    const outgoing = await this.#outgoing(request);
    const response = await this.#reached(request, () => send(this.#address + pathOf(request), outgoing));
    if (!response.ok) throw problemOf(await readAnswer(response));
    return response;
  }

  #ending(request: ApiRequest): ApiRequest {
    return { ...request, signal: either(this.signal, request.signal) };
  }

  async #answer(request: ApiRequest): Promise<Answer> {
    const outgoing = await this.#outgoing(request);
    const answer = await this.#reached(request, () => this.#exchange()(pathOf(request), outgoing));
    if (answer.status < 200 || answer.status > 299) throw problemOf(answer);
    return answer;
  }

  /** Whoever brings a fetch wants every request to go through it. */
  #exchange(): Exchange {
    const { fetch: own } = this.#options;
    this.#opened ??= (own === undefined ? nodeExchange(this.#address) : undefined) ?? fetchExchange(this.#address, own);
    return this.#opened;
  }

  async #reached<T>({ signal }: ApiRequest, send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      signal?.throwIfAborted();
      const { url = "" } = this.#options;
      const detail = `The server at ${url === "" ? "this address" : url} cannot be reached: ${whyOf(error)}`;
      throw new ProblemError(problemFor(0, detail), { cause: error });
    }
  }

  async #outgoing({ method, body, json = JSON.stringify(body), headers, signal }: ApiRequest): Promise<Outgoing> {
    const content = json === undefined ? {} : { "content-type": "application/json" };
    return {
      method,
      headers: { accept: "application/json", ...(await this.#credentials()), ...content, ...headers },
      ...(json === undefined ? {} : { body: json }),
      ...(signal === undefined ? {} : { signal }),
    };
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

function queryString(query: object): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(Object.fromEntries(pairs.map(([name, value]) => [name, String(value)]))).toString();
  return text === "" ? "" : `?${text}`;
}

function pathOf({ path, query }: ApiRequest): string {
  return query === undefined ? path : path + queryString(query);
}

/** The message of fetch says nothing, and neither does that of a name with several addresses. */
function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return whyOf(error.cause);
  return error.message === "" && "code" in error ? String(error.code) : error.message;
}
