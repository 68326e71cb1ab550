/** Ports of servers that a bench starts. */
import { connect as open, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** @returns {Promise<number>} */
export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => void server.listen(0, "127.0.0.1", () => resolve(null)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * Waits until the server accepts connections.
 * @param {number} port
 */
export async function listening(port) {
  for (let left = 300; ; left--) {
    const socket = open(port, "127.0.0.1");
    const isUp = await /** @type {Promise<boolean>} */ (
      new Promise((resolve) => {
        socket.once("connect", () => resolve(true));
        socket.once("error", () => resolve(false));
      })
    );
    socket.destroy();
    if (isUp) return;
    if (left === 0) throw new Error("The server does not start.");
    await sleep(100);
  }
}
