/** The hub as a worker: shared by all tabs where the browser has shared workers, else one per tab. */
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
    if (data.type === "hello") void untilGone(data.lock).then(() => member.leave());
    else member.hear(data);
  };
}

/** A tab that is closed or crashes says nothing, but its lock is given to the next one who asks. */
async function untilGone(lock: string): Promise<void> {
  if (navigator.locks === undefined) return new Promise(() => {});
  await navigator.locks.request(lock, () => {});
}

self.addEventListener("connect", (event) => serve((event as MessageEvent).ports[0] as unknown as Port));
if (!("SharedWorkerGlobalScope" in self)) serve(self);
