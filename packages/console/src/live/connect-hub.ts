/** A way to the hub. It can be given to a worker. */
import type { ToHub } from "./protocol.js";

let tabs = 0;

export interface HubConnection {
  readonly port: MessagePort;
  /** Everything that is watched through it is left. A tab that is gone has left, too. */
  leave(): void;
}

/** The hub hears of the lock when it is held: asking for it earlier, it would get it, and take the tab for gone. */
export async function connectHub(): Promise<HubConnection> {
  const port = typeof SharedWorker === "undefined" ? ownHub() : sharedHub();
  const lock = `runledger-tab-${Date.now()}-${tabs++}-${Math.random()}`;
  let leave = (): void => {};
  const isLeft = new Promise<void>((resolve) => (leave = resolve));
  await held(lock, isLeft);
  port.postMessage({ type: "hello", lock } satisfies ToHub);
  return { port, leave };
}

/** Browsers have locks on secure addresses only; elsewhere a stream stays until its browser is closed. */
function held(lock: string, isLeft: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    if (navigator.locks === undefined) resolve();
    else
      void navigator.locks.request(lock, () => {
        resolve();
        return isLeft; // or until the tab is gone
      });
  });
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
