/** Runs the hub in a worker: one for all tabs if the browser has shared workers, otherwise one per tab. */
import { RunledgerClient } from "@runledger/client";
import { Hub } from "./hub.js";
import type { FromHub, ToHub } from "./protocol.js";

interface Port {
  postMessage(message: FromHub): void;
  onmessage: ((event: MessageEvent<ToHub>) => void) | null;
}

const hub = new Hub(new RunledgerClient({ url: self.location.origin }));

function serve(port: Port): void {
  const member = hub.join((message) => port.postMessage(message));
  port.onmessage = ({ data }) => {
    if (data.type === "hello") void untilClosed(data.lock).then(() => member.leave());
    else member.receive(data);
  };
}

/** Waits until the tab is closed or has crashed. The browser then releases its lock to the next request, which is ours. */
async function untilClosed(lock: string): Promise<void> {
  if (navigator.locks === undefined) return new Promise(() => {});
  await navigator.locks.request(lock, () => {});
}

self.addEventListener("connect", (event) => serve((event as MessageEvent).ports[0] as unknown as Port));
if (!("SharedWorkerGlobalScope" in self)) serve(self);
