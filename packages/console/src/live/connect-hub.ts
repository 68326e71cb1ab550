/** Connects a tab to the hub. The port can be transferred to a worker. */
import type { ToHub } from "./protocol.js";

let tabs = 0;

export interface HubConnection {
  readonly port: MessagePort;
  /** Stops all watches of this connection. A closed tab stops them, too. */
  leave(): void;
}

/** Announces the lock only after the tab holds it. Otherwise the hub could acquire it first and consider the tab closed. */
export async function connectHub(): Promise<HubConnection> {
  const port = typeof SharedWorker === "undefined" ? ownHub() : sharedHub();
  const lock = `runledger-tab-${Date.now()}-${tabs++}-${Math.random()}`;
  let leave = (): void => {};
  const isLeft = new Promise<void>((resolve) => (leave = resolve));
  await holdLock(lock, isLeft);
  port.postMessage({ type: "hello", lock } satisfies ToHub);
  return { port, leave };
}

/** Browsers offer locks only in secure contexts. Without them a stream stays open until the browser closes. */
function holdLock(lock: string, isLeft: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    if (navigator.locks === undefined) resolve();
    else
      void navigator.locks.request(lock, () => {
        resolve();
        return isLeft; // or until the tab is closed
      });
  });
}

function sharedHub(): MessagePort {
  const worker = new SharedWorker(new URL("./hub-worker.ts", import.meta.url), { type: "module", name: "runledger" });
  return worker.port;
}

/** For browsers without SharedWorker: a hub for this tab alone. */
function ownHub(): MessagePort {
  const worker = new Worker(new URL("./hub-worker.ts", import.meta.url), { type: "module" });
  const { port1, port2 } = new MessageChannel();
  port2.onmessage = ({ data }) => worker.postMessage(data);
  worker.onmessage = ({ data }) => port2.postMessage(data);
  return port1;
}
