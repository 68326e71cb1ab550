/** A TCP proxy that goes silent: connections stay open and accept data, but nothing passes, as behind a broken firewall. */
import { createServer, connect, type AddressInfo, type Socket } from "node:net";

export interface SilentProxy {
  readonly url: string;
  /** Holds everything on `existing` connections, or on `all`, which includes those that are made from now on. */
  silence(which: "existing" | "all"): void;
  /** Holds what the server sends. Requests still arrive and are executed. */
  holdAnswers(): void;
  /** Delivers what was held. */
  resume(): void;
  /** Passes only so many bytes per second to the server, on each connection. */
  limit(bytesPerSecond: number): void;
  /** Cuts all connections. New ones lead to another server. */
  lead(url: string): void;
  /** The number of connections that clients have open. */
  open(): number;
  close(): Promise<void>;
}

/** `port` 0 selects a free port. */
export async function startSilentProxy(target: string, port = 0): Promise<SilentProxy> {
  let server = new URL(target);
  let bytesPerMs = Infinity;
  const pairs = new Set<readonly [Socket, Socket]>();
  let isSilent = false;
  let holdsAnswers = false;

  const listener = createServer((client) => {
    const upstream = connect(Number(server.port), server.hostname);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    client.on("close", () => pairs.delete(pair));
    for (const [from, to] of [pair, [upstream, client] as const]) {
      from.on("data", (data) => to.write(data)).on("error", () => to.destroy());
      from.on("close", () => to.destroy());
      if (isSilent) from.pause();
    }
    if (holdsAnswers) upstream.pause();
    client.on("data", ({ length }) => {
      if (bytesPerMs === Infinity) return;
      client.pause();
      setTimeout(() => client.resume(), length / bytesPerMs);
    });
  });
  await new Promise<void>((resolve) => listener.listen(port, "127.0.0.1", resolve));

  const each = (act: (socket: Socket) => unknown): void => pairs.forEach((pair) => pair.forEach(act));
  const url = new URL(target);
  url.port = String((listener.address() as AddressInfo).port);
  return {
    url: url.href,
    silence: (which) => {
      isSilent = which === "all";
      each((socket) => socket.pause());
    },
    holdAnswers: () => {
      holdsAnswers = true;
      pairs.forEach(([, upstream]) => upstream.pause());
    },
    resume: () => {
      isSilent = holdsAnswers = false;
      each((socket) => socket.resume());
    },
    limit: (bytesPerSecond) => void (bytesPerMs = bytesPerSecond / 1000),
    lead: (other) => {
      server = new URL(other);
      each((socket) => socket.destroy());
    },
    open: () => pairs.size,
    close: () => {
      each((socket) => socket.destroy());
      return new Promise((resolve) => listener.close(() => resolve()));
    },
  };
}
