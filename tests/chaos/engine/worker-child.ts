/** A worker's process as its parent sees it. */
import { spawn, type ChildProcess } from "node:child_process";
import type { Told } from "./told.js";

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

  constructor(program: string, told: Told) {
    this.name = told.name;
    this.#child = spawn(process.execPath, [program, JSON.stringify(told)], { stdio: ["pipe", "pipe", "inherit"] });
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

  /** It has come to the point that was meant for it. */
  get hasMet(): boolean {
    return /^met$/m.test(this.#said);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** False = it was not so within that time. */
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
