/** A TCP proxy that loses the answer to one request: the server gets the request, and the client never gets the answer. */
import { createServer, connect, type AddressInfo, type Socket } from "node:net";

export interface AnswerProxy {
  readonly address: string;
  /** Loses everything that the server sends after the next request that contains this text. */
  loseAnswerTo(text: string): void;
  /** `true` if an answer is being lost. */
  readonly isLosing: boolean;
  /** Cuts the connections whose answers are lost. */
  cut(): void;
  close(): Promise<void>;
}

export async function startAnswerProxy(target: string): Promise<AnswerProxy> {
  const [host, port] = target.split(":");
  const sockets = new Set<Socket>();
  const losing = new Set<Socket>();
  let text: string | null = null;
  const server = createServer((client) => {
    const upstream = connect(Number(port), host);
    const hangUp = (): void => [client, upstream].forEach((socket) => socket.destroy());
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", hangUp).on("close", hangUp);
    }
    client.on("data", (request) => {
      if (text !== null && request.includes(text)) {
        text = null;
        losing.add(client);
      }
      upstream.write(request);
    });
    upstream.on("data", (answer) => void (losing.has(client) || client.write(answer)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    loseAnswerTo: (next) => void (text = next),
    get isLosing() {
      return losing.size > 0;
    },
    cut: () => losing.forEach((socket) => socket.destroy()),
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
