/** A receiver of OpenLineage events that can be down or refuse them. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedJob {
  readonly namespace: string;
  readonly name: string;
}

type Facets = Readonly<Record<string, { readonly [field: string]: unknown }>>;

export interface ReceivedDataset {
  readonly namespace: string;
  readonly name: string;
  readonly facets: Facets;
  readonly outputFacets?: Facets;
}

export interface LineageEvent {
  readonly eventType: string;
  readonly eventTime: string;
  readonly run: { readonly runId: string; readonly facets: Facets };
  readonly job: ReceivedJob & { readonly facets: Facets };
  readonly inputs: readonly ReceivedDataset[];
  readonly outputs: readonly ReceivedDataset[];
}

export class LineageReceiver {
  readonly bodies: string[] = [];
  readonly requests: { readonly url: string; readonly headers: IncomingMessage["headers"] }[] = [];
  /** Answers an event. Default: 201. */
  answer: (event: LineageEvent) => number = () => 201;
  #server: Server | null = null;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The events that were accepted, in the order of their arrival. */
  get events(): readonly LineageEvent[] {
    return this.bodies.map((body) => JSON.parse(body) as LineageEvent);
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
    const status = this.answer(JSON.parse(body) as LineageEvent);
    if (status < 300) {
      this.bodies.push(body);
      this.requests.push({ url: request.url ?? "", headers: request.headers });
    }
    response.writeHead(status).end();
  }
}
