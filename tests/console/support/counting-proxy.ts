/** A proxy in front of a server. It counts open streams and records their messages. */
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface CountingProxy {
  readonly url: string;
  readonly open: () => number;
  /** The maximum number of streams that were open at the same time. */
  readonly most: () => number;
  /** The seqs of a run's events across all streams, in order of arrival. */
  readonly seqsOf: (runId: string) => number[];
}

/** An event in a stream of several runs. Other messages have a name or an id. */
const EVENT = /\n\ndata: \{"runId":"([^"]+)","runSeq":(\d+)/g;

export async function countingProxy(target: string): Promise<CountingProxy> {
  const { host, port, hostname, origin } = new URL(target);
  let open = 0;
  let most = 0;
  const texts: string[] = [];
  const server = createServer((asked, answer) => {
    const headers = { ...asked.headers, host, ...(asked.headers.origin !== undefined && { origin }) };
    const passed = request({ hostname, port, path: asked.url, method: asked.method, headers }, (given) => {
      answer.writeHead(given.statusCode!, given.headers);
      given.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    asked.pipe(passed);
    if (!/\/stream(\?|$)/.test(asked.url!)) return;
    const index = texts.push("") - 1;
    passed.on("response", (given) => given.on("data", (part: Buffer) => (texts[index] += part.toString())));
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
    seqsOf: (runId) =>
      texts.flatMap((text) => [...text.matchAll(EVENT)].flatMap(([, of, seq]) => (of === runId ? [Number(seq)] : []))),
  };
}
