import { randomInt } from "node:crypto";
import { createServer } from "node:net";

export const HOST = "127.0.0.1";

/**
 * Below the ports that systems use for outgoing connections. A client that keeps connecting to such a port while its
 * server is down may connect to itself, and then occupies the port permanently.
 */
const LOWEST = 15_000;
const HIGHEST = 30_000;

export async function chooseFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const port = await listenBriefly(randomInt(LOWEST, HIGHEST));
    if (port !== null) return port;
  }
  return (await listenBriefly(0)) ?? randomInt(LOWEST, HIGHEST);
}

function listenBriefly(wanted: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(null));
    server.listen(wanted, HOST, () => {
      const address = server.address();
      const port = address !== null && typeof address === "object" ? address.port : wanted;
      server.close(() => resolve(port));
    });
  });
}
