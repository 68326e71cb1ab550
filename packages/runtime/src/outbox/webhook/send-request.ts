/** Sends one request. Checks the address that it connects to, follows no redirects and reads a bounded answer. */
import { lookup as systemLookup, type LookupAddress, type LookupOptions } from "node:dns";
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isIP, type BlockList, type LookupFunction } from "node:net";
import { BusUnavailableError } from "../event-bus.js";
import { isRefused } from "./internal-addresses.js";

/** Resolves a name to all of its addresses. */
export type ResolveName = (
  name: string,
  options: LookupOptions & { readonly all: true },
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

export interface RequestParts {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The first characters, for messages. */
  readonly text: string;
}

/** An answer that is longer is cut off; its status counts. */
const MAX_ANSWER_BYTES = 64 * 1024;
const SHOWN = 200;

export interface ConnectionOptions {
  /** Internal addresses that may be called. */
  readonly allowed: BlockList;
  /** Names the endpoint in messages. */
  readonly receiver: string;
  readonly resolve?: ResolveName | undefined;
}

/** Connections to one address of a webhook. */
export class WebhookConnection {
  readonly #url: URL;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #allowed: BlockList;
  readonly #receiver: string;

  constructor(url: URL, { allowed, receiver, resolve = systemLookup }: ConnectionOptions) {
    this.#url = url;
    this.#allowed = allowed;
    this.#receiver = receiver;
    const options = { keepAlive: true, maxSockets: 32, lookup: checkedLookup(resolve, allowed) };
    this.#agent = url.protocol === "https:" ? new HttpsAgent(options) : new HttpAgent(options);
  }

  /** Throws `BusUnavailableError` if there is no answer. */
  async post(parts: RequestParts): Promise<Answer> {
    const host = this.#url.hostname.replace(/^\[|\]$/g, "");
    if (isIP(host) !== 0 && isRefused(host, this.#allowed)) throw refusedAddress(host); // Node resolves no literals
    try {
      return await this.#send(parts);
    } catch (error) {
      if (error instanceof BusUnavailableError) throw error;
      const { message, code } = error as NodeJS.ErrnoException;
      throw new BusUnavailableError(`${this.#receiver} cannot be reached: ${message === "" ? code : message}`);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #send({ body, headers, signal }: RequestParts): Promise<Answer> {
    const send = this.#url.protocol === "https:" ? httpsRequest : httpRequest;
    const length = String(Buffer.byteLength(body));
    return new Promise((resolve, reject) => {
      const options = { method: "POST", agent: this.#agent, signal, headers: { ...headers, "content-length": length } };
      const request = send(this.#url, options, (answer) => void read(answer).then(resolve, reject));
      request.on("upgrade", (_, socket) => {
        socket.destroy();
        reject(new Error("it changed the protocol.")); // Node would close the connection without an error
      });
      request.on("error", reject).end(body);
    });
  }
}

/** The connection uses exactly the addresses that were checked, so a name cannot change in between. */
function checkedLookup(resolve: ResolveName, allowed: BlockList): LookupFunction {
  return (name, options, done) => {
    resolve(name, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, []);
      const refused = addresses.find(({ address }) => isRefused(address, allowed));
      if (refused !== undefined) return done(refusedAddress(`${name} (${refused.address})`), []);
      const [first] = addresses;
      if (first === undefined) return done(new Error(`${name} has no address.`), []);
      if (options.all === true) return done(null, addresses);
      done(null, first.address, first.family);
    });
  };
}

function refusedAddress(host: string): BusUnavailableError {
  return new BusUnavailableError(
    `${host} belongs to an internal network. Allow it in "allowAddresses" of the configuration, or use a public address.`,
  );
}

async function read(answer: IncomingMessage): Promise<Answer> {
  const { statusCode: status = 0, headers } = answer;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > MAX_ANSWER_BYTES) break; // closes the connection
  }
  const text = Buffer.concat(chunks).subarray(0, SHOWN).toString("utf8");
  return { status, retryAfter: headers["retry-after"], text };
}
