/** A proxy in front of DynamoDB Local that loses answers, refuses connections and throttles, as a busy network and service do. */
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { until } from "@runledger/test-support/until";

/**
 * `lose`: the request is executed and its answer is lost. `drop`: the request never arrives. `throttle`, `conflict`: the service
 * refuses it and writes nothing.
 */
export type Fault = "lose" | "drop" | "throttle" | "conflict";

export interface FaultyProxy {
  readonly endpoint: string;
  /** How often each fault happened. */
  readonly happened: Readonly<Record<Fault, number>>;
  /** Lets no request through and no answer back. Resolves when none is in flight. */
  hold(): Promise<void>;
  /** Lets requests through again. */
  release(): void;
  close(): Promise<void>;
}

/** `choose` decides on every request. `null` lets it through; a promise lets it through when it resolves. */
export async function startFaultyProxy(
  target: string,
  choose: (operation: string) => Fault | null | Promise<void>,
): Promise<FaultyProxy> {
  const happened: Record<Fault, number> = { lose: 0, drop: 0, throttle: 0, conflict: 0 };
  let isHeld = false;
  let inFlight = 0;
  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const operation = String(incoming.headers["x-amz-target"]).split(".")[1] ?? "";
    const body = await bodyOf(incoming);
    const fault = (await choose(operation)) ?? null;
    if (fault !== null) happened[fault]++;
    if (fault === "drop") return void incoming.socket.destroy();
    if (fault === "throttle") return refuse(outgoing, { __type: `${TYPES}ProvisionedThroughputExceededException` });
    if (fault === "conflict") return refuse(outgoing, CONFLICT);
    if (isHeld) return void incoming.socket.destroy();
    inFlight++;
    forward(target, incoming, body, (answer) => {
      inFlight--;
      if (answer === null || fault === "lose" || isHeld) incoming.socket.destroy();
      else outgoing.writeHead(answer.status, answer.headers).end(answer.body);
    });
  };
  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    happened,
    hold: () => {
      isHeld = true;
      return until(() => inFlight === 0);
    },
    release: () => void (isHeld = false),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const TYPES = "com.amazonaws.dynamodb.v20120810#";
const CONFLICT = {
  __type: `${TYPES}TransactionCanceledException`,
  Message: "Transaction cancelled, please refer cancellation reasons for specific reasons [TransactionConflict]",
  CancellationReasons: [{ Code: "TransactionConflict", Message: "Transaction is ongoing for the item" }],
};

function refuse(outgoing: ServerResponse, error: object): void {
  outgoing.writeHead(400, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify(error));
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

function forward(target: string, incoming: IncomingMessage, body: Buffer, done: (answer: Answer | null) => void): void {
  const { method, headers, url } = incoming;
  const hangUp = (): void => done(null);
  const outgoing = request(new URL(url ?? "/", target), { method, headers }, (response) => {
    const chunks: Buffer[] = [];
    const { statusCode: status = 500, headers: answered } = response;
    response.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", hangUp);
    response.on("end", () => done({ status, headers: answered, body: Buffer.concat(chunks) }));
  });
  outgoing.on("error", hangUp).end(body);
}
