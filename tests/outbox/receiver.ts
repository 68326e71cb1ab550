/** A webhook receiver. It checks signatures like a receiver would, and can be down or refuse events. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { CanonicalEngineEvent } from "@runledger/contracts";
import { digestOf, type PublishedEvent } from "@runledger/store-conformance";

export interface ReceivedEvent {
  readonly specversion: string;
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly partitionkey: string;
  readonly sequence: string;
  readonly data: CanonicalEngineEvent;
}

export interface ReceivedRequest {
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly events: readonly ReceivedEvent[];
}

export class Receiver {
  readonly requests: ReceivedRequest[] = [];
  /** Signatures that no key confirms. */
  unsigned = 0;
  /** Answers a request. Default: 204. */
  answer: (request: ReceivedRequest) => number = () => 204;
  readonly #keys: readonly string[];
  #server: Server | null = null;
  #port = 0;

  constructor(...keys: readonly string[]) {
    this.#keys = keys;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hook`;
  }

  /** The events that were accepted, in the order of their arrival. */
  get events(): readonly ReceivedEvent[] {
    return this.requests.flatMap(({ events }) => events);
  }

  get published(): PublishedEvent[] {
    return this.events.map(({ data: { runId, runSeq, eventId, eventData } }) => {
      return { runId, seq: runSeq, eventId, digest: digestOf(eventData) };
    });
  }

  /** Listens, on the same port as before. */
  async start(): Promise<this> {
    this.#server = createServer((request, response) => void this.#receive(request, response));
    await new Promise<void>((resolve, reject) => {
      this.#server!.once("error", reject).listen(this.#port, "127.0.0.1", resolve);
    });
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  /** Refuses connections from now on, and cuts those that are open. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk as string;
    const read = JSON.parse(body) as ReceivedEvent | ReceivedEvent[];
    const received = { url: request.url ?? "", headers: request.headers, events: Array.isArray(read) ? read : [read] };
    if (this.#keys.some((key) => !isSigned(key, request.headers, body))) this.unsigned++;
    const status = this.answer(received);
    if (status < 300) this.requests.push(received);
    response.writeHead(status).end();
  }
}

/** As the specification of Standard Webhooks describes it. */
function isSigned(key: string, headers: IncomingMessage["headers"], body: string): boolean {
  const secret = Buffer.from(key.replace("whsec_", ""), "base64");
  const content = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
  const expected = createHmac("sha256", secret).update(content).digest();
  const signatures = String(headers["webhook-signature"]).split(" ");
  return signatures.some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ""), "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
