/** A way to the hub. It can be given to a worker. */
import type { ToHub } from "./protocol.js";

let tabs = 0;

export function connectHub(): MessagePort {
  const port = typeof SharedWorker === "undefined" ? ownHub() : sharedHub();
  const lock = `runledger-tab-${Date.now()}-${tabs++}-${Math.random()}`;
  void navigator.locks?.request(lock, () => new Promise(() => {})); // held until the tab is gone
  port.postMessage({ type: "hello", lock } satisfies ToHub);
  return port;
}

function sharedHub(): MessagePort {
  const worker = new SharedWorker(new URL("./hub-worker.ts", import.meta.url), { type: "module", name: "runledger" });
  return worker.port;
}

/** Behaves as a port does. */
function ownHub(): MessagePort {
  const worker = new Worker(new URL("./hub-worker.ts", import.meta.url), { type: "module" });
  const { port1, port2 } = new MessageChannel();
  port2.onmessage = ({ data }) => worker.postMessage(data);
  worker.onmessage = ({ data }) => port2.postMessage(data);
  return port1;
}
