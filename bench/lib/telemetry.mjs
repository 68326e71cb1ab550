/** The two sides of a telemetry bench, each in its own process, and a receiver of traces. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

/**
 * @typedef {object} Side
 * @property {(forMs: number) => Promise<import("./callers.mjs").Throughput>} run
 * @property {() => Promise<void>} stop
 */

/**
 * @param {string} url of the store
 * @param {"none" | "off" | "on"} mode
 * @param {Record<string, string>} [variables]
 * @returns {Promise<Side>}
 */
export async function startSide(url, mode, variables = {}) {
  const file = fileURLToPath(new URL("telemetry-process.mjs", import.meta.url));
  const child = fork(file, [url, mode], { env: { ...process.env, ...variables } });
  await answerOf(child);
  return {
    run: async (forMs) => {
      const answered = answerOf(child);
      child.send(forMs);
      const { value, events, latencies } = await answered;
      return { value, events, latencies: Float64Array.from(latencies) };
    },
    stop: async () => {
      child.send("stop");
      await once(child, "exit");
    },
  };
}

/**
 * @param {import("node:child_process").ChildProcess} child
 * @returns {Promise<{ value: number, events: number, latencies: number[] }>}
 */
function answerOf(child) {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error("The process of the bench has exited."));
    child.once("exit", onExit);
    child.once("message", (message) => {
      child.off("exit", onExit);
      resolve(/** @type {{ value: number, events: number, latencies: number[] }} */ (message));
    });
  });
}

/** Accepts all traces, and counts the requests and bytes. */
export async function startReceiver() {
  const received = { requests: 0, bytes: 0 };
  const server = createServer((request, response) => {
    received.requests++;
    request.on("data", (/** @type {Buffer} */ part) => (received.bytes += part.length));
    request.on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    received,
    variables: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_METRICS_EXPORTER: "none",
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.1",
    },
    close: () => void server.close(() => {}),
  };
}
