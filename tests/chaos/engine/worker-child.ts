/** Starts and controls a worker process. */
import { spawn, type ChildProcess } from "node:child_process";
import type { WorkerSettings } from "./worker-messages.js";

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class WorkerChild {
  readonly name: string;
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;
  #said = "";
  #heard: () => void = () => {};
  #hasEnded = false;

  constructor([program, ...args]: readonly string[], settings: WorkerSettings) {
    this.name = settings.name;
    const command = [program!, JSON.stringify(settings), ...args];
    this.#child = spawn(process.execPath, command, { stdio: ["pipe", "pipe", "inherit"] });
    this.#child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      this.#said += text;
      this.#heard();
    });
    this.ended = new Promise((resolve) => {
      this.#child.once("close", (code, signal) => {
        this.#hasEnded = true;
        resolve({ code, signal });
        this.#heard();
      });
    });
  }

  get workerId(): string | null {
    return /^worker (.+)$/m.exec(this.#said)?.[1] ?? null;
  }

  /** `true` if the process reached its fault point. */
  get hasReachedFault(): boolean {
    return /^met$/m.test(this.#said);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Resolves to `false` after the timeout. */
  async until(isSo: () => boolean, ms: number): Promise<boolean> {
    const end = performance.now() + ms;
    while (!isSo() && performance.now() < end) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, end - performance.now());
        this.#heard = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return isSo();
  }
}
