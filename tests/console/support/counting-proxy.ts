/** Stands in front of a server and counts the streams that are open through it. */
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface CountingProxy {
  readonly url: string;
  readonly open: () => number;
  /** The most that were open at a time. */
  readonly most: () => number;
}

export async function countingProxy(target: string): Promise<CountingProxy> {
  const { host, port, hostname, origin } = new URL(target);
  let open = 0;
  let most = 0;
  const server = createServer((asked, answer) => {
    const headers = { ...asked.headers, host, ...(asked.headers.origin !== undefined && { origin }) };
    const passed = request({ hostname, port, path: asked.url, method: asked.method, headers }, (given) => {
      answer.writeHead(given.statusCode!, given.headers);
      given.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    asked.pipe(passed);
    if (!/\/stream(\?|$)/.test(asked.url!)) return;
    most = Math.max(most, ++open);
    answer.once("close", () => {
      open--;
      passed.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: () => open,
    most: () => most,
  };
}
