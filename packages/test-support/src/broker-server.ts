/** A real broker with its data in a folder, so that a test can kill it and start it again. */
import { spawn, type ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import { freePort, listening, ownFolder, serverUser } from "./servers.js";

export interface BrokerProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

export class BrokerServer {
  readonly port: number;
  readonly folder: string;
  #program: BrokerProgram | null = null;
  #child: ChildProcess | null = null;

  /** `prepare` returns the program for a port and an empty folder. */
  static async start(
    name: string,
    prepare: (port: number, folder: string) => Promise<BrokerProgram>,
  ): Promise<BrokerServer> {
    const server = new BrokerServer(await freePort(), ownFolder(name));
    server.#program = await prepare(server.port, server.folder);
    await server.start();
    return server;
  }

  private constructor(port: number, folder: string) {
    this.port = port;
    this.folder = folder;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Starts it, or starts it again with the same port and data. */
  async start(): Promise<void> {
    const { command, args, env = {} } = this.#program!;
    const child = spawn(command, args, {
      cwd: this.folder,
      env: { ...process.env, ...env },
      ...serverUser(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let log = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (text: Buffer) => (log = (log + text.toString()).slice(-4000)));
    this.#child = child;
    await listening(this.port, child, () => log);
  }

  /** `kill -9`: the broker cannot save anything. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    if (child.kill("SIGKILL")) await ended;
  }

  /** Suspends it: connections stay open, and nothing is answered. */
  stall(): void {
    this.#child?.kill("SIGSTOP");
  }

  resume(): void {
    this.#child?.kill("SIGCONT");
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20 });
  }
}
