/**
 * Runs commands of `runledger` from the build in processes that stay, because starting a process takes most of a short
 * command's time. For commands that end by themselves and read no standard input. A command that Ctrl-C stops, or
 * that a terminal shows, needs its own process: see runledger-command.ts, which also explains `Where`.
 */
import { fork, type ChildProcess } from "node:child_process";
import { inRepository } from "../../../scripts/lib/repository.mjs";
import type { Where } from "./runledger-command.js";

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const idle: ChildProcess[] = [];
let commands = 0;

/** Runs a command to its end. */
export function runledger({ cwd, env = {} }: Where, ...args: readonly string[]): Promise<Ended> {
  const host = idle.pop() ?? startHost();
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void =>
      reject(new Error(`runledger ${args.join(" ")} ended its process with ${code}. It needs its own process.`));
    host.once("exit", onExit);
    host.once("message", ({ code, stdout, stderr }: Ended) => {
      host.off("exit", onExit);
      idle.push(host);
      resolve({ code, stdout, stderr });
    });
    host.send({ id: ++commands, cwd, env, args });
  });
}

/** It ends with the process of the tests, and does not keep that alive. */
function startHost(): ChildProcess {
  const host = fork(inRepository("packages/test-support/src/command-host.mjs"), {
    execArgv: [],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  host.on("exit", () => {
    const place = idle.indexOf(host);
    if (place >= 0) idle.splice(place, 1);
  });
  host.unref();
  host.channel?.unref();
  return host;
}
