/** Java's Temporal server: in memory, and able to skip time. A fallback where Temporal's own server cannot be built. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { freePort, listening } from "./servers.js";
import { readyTemporal } from "./temporal-provisioning.js";
import { TemporalServer } from "./temporal-server.js";

export interface AnyTemporalServer {
  readonly address: string;
  stop(): Promise<void>;
}

/** Starts the best server that is ready. */
export async function startAnyTemporal(): Promise<AnyTemporalServer> {
  const ready = readyTemporal();
  return ready?.kind === "java" ? startJavaTestServer(ready.jars) : TemporalServer.start();
}

async function startJavaTestServer(jars: string): Promise<AnyTemporalServer> {
  const port = await freePort();
  const args = ["-cp", join(jars, "*"), "io.temporal.testserver.TestServer", String(port)];
  const child = spawn("java", args, { stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (log += text.toString()));
  await listening(port, child, () => log);
  const stop = async (): Promise<void> => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    if (child.exitCode === null && child.kill("SIGKILL")) await ended;
  };
  return { address: `127.0.0.1:${port}`, stop };
}
