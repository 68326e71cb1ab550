/** A Node process that prints lines and waits for lines. Every wait for it has a limit and names what it has printed. */
import { spawn, type ChildProcess } from "node:child_process";
import { within } from "./within.js";

export class LineChild implements AsyncDisposable {
  readonly #ended: Promise<number | null>;
  readonly #child: ChildProcess;
  #printed = "";
  #hear: () => void = () => {};

  constructor(program: string, args: readonly (string | number)[]) {
    this.#child = spawn(process.execPath, [program, ...args.map(String)], { stdio: ["pipe", "pipe", "pipe"] });
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      stream.on("data", (text: Buffer) => {
        this.#printed += text.toString();
        this.#hear();
      });
    this.#ended = new Promise((resolve) => this.#child.once("close", resolve));
  }

  /** Waits for the line with this number, counted from 0. */
  line(index: number): Promise<string> {
    const lines = (): string[] => this.#printed.split("\n").slice(0, -1);
    const printed = new Promise<string>((resolve) => {
      this.#hear = () => {
        const found = lines()[index];
        if (found !== undefined) resolve(found);
      };
      this.#hear();
    });
    return within(printed, `line ${index} of a process`, () => this.#printed);
  }

  async exit(): Promise<void> {
    const code = await within(this.#ended, "the exit of a process", () => this.#printed);
    if (code !== 0) throw new Error(`The process exited with ${code}: ${this.#printed}`);
  }

  /** Writes the line that the process waits for. */
  proceed(): void {
    this.#child.stdin!.write("proceed\n");
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL"); // also ends a suspended process
    await this.#ended;
  }
}
