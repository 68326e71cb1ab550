import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { EmbeddedOptions, EmbeddedPostgres } from "../index.js";

type Started = Pick<EmbeddedPostgres, "url" | "dataDir" | "version" | "role">;
interface Refused {
  readonly code: string;
  readonly family: string;
  readonly message: string;
}
interface Answer {
  readonly started?: Started;
  readonly refused?: Refused;
  readonly role?: "owner" | "attached";
  readonly log?: string;
}

export interface HolderOptions extends Omit<EmbeddedOptions, "log"> {
  /** The folder of the installed launcher. Default: the build of this repository. */
  readonly module?: string;
  readonly program?: string;
  readonly uid?: number;
  readonly gid?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeOptions?: readonly string[];
}

const builtModule = new URL("../../dist/index.js", import.meta.url).href;
export const holderProgram = fileURLToPath(new URL("holder.mjs", import.meta.url));

/** Another process that uses an embedded server. */
export class Holder {
  readonly logged: string[] = [];
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #answers: AsyncIterator<string, undefined>;

  constructor({
    module = builtModule,
    program = holderProgram,
    uid,
    gid,
    env,
    nodeOptions,
    ...options
  }: HolderOptions) {
    this.#child = spawn(process.execPath, [...(nodeOptions ?? []), program], {
      env: { ...process.env, ...env, HOLDER_OPTIONS: JSON.stringify({ module, options }) },
      stdio: ["pipe", "pipe", "inherit"],
      ...(uid === undefined ? {} : { uid }),
      ...(gid === undefined ? {} : { gid }),
    });
    this.#child.stdin.on("error", () => {}); // it was killed
    this.#answers = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
    onTestFinished(() => this.kill());
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async started(): Promise<Started> {
    const { started, refused } = await this.#answer();
    if (started === undefined) throw new Error(`It did not start: ${refused?.message}`);
    return started;
  }

  async refused(): Promise<Refused> {
    const { started, refused } = await this.#answer();
    if (refused === undefined) throw new Error(`It started as ${started?.role}`);
    return refused;
  }

  role = (): Promise<"owner" | "attached"> => this.#tell("role");

  async stop(): Promise<void> {
    await this.#tell("stop");
    this.#child.stdin.end();
    await this.#ended();
  }

  /** Lets the program exit normally, but without a stop. */
  async leave(): Promise<void> {
    this.#child.stdin.write("leave\n");
    await this.#ended();
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Kills it with SIGKILL. */
  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.#ended();
  }

  async #tell(command: string): Promise<"owner" | "attached"> {
    this.#child.stdin.write(`${command}\n`);
    return (await this.#answer()).role ?? "attached";
  }

  async #answer(): Promise<Answer> {
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error("The program exited without a result");
    const answer = JSON.parse(value) as Answer;
    if (answer.log === undefined) return answer;
    this.logged.push(answer.log);
    return this.#answer();
  }

  async #ended(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, "exit");
  }
}
