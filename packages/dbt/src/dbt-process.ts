/** Starts dbt without a shell, in a process group that does not outlive the worker, and stops it with SIGINT. */
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { environment } from "@runledger/runtime/config/environment";
import { findProgram } from "@runledger/runtime/engine/runners/find-program";
import { endWithParent, Guardian } from "@runledger/runtime/engine/runners/guardian";
import { ProcessGroup, type Exit } from "@runledger/runtime/engine/runners/process-group";

export interface DbtSettings {
  /** Name or path of dbt. Default: `dbt` on the worker's PATH. */
  readonly program?: string;
  /** Variables of the worker. dbt gets `PATH`, `HOME` and `LANG` of them. Default: those of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Time that dbt has after SIGINT to cancel its queries, before SIGKILL. Default: 30 seconds. */
  readonly graceMs?: number;
}

export interface Invocation {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Receives every line of standard output, and waits for it before the next one. */
  readonly onLine: (line: string) => void | Promise<void>;
  readonly onErrorLine: (line: string) => void;
}

const INHERITED = ["PATH", "HOME", "LANG"];
const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";
const DEFAULT_GRACE_MS = 30_000;

export class DbtPrograms {
  readonly #settings: DbtSettings;
  readonly #guardian = new Guardian();
  #guards: Promise<readonly string[]> | null = null;

  constructor(settings: DbtSettings) {
    this.#settings = settings;
  }

  /** Resolves when dbt and its pipes are gone. After an abort dbt cancels its queries first. */
  async run({ args, cwd, env, signal, onLine, onErrorLine }: Invocation): Promise<Exit> {
    const { program = "dbt", graceMs = DEFAULT_GRACE_MS } = this.#settings;
    const variables: Record<string, string> = { ...this.#inherited(), ...env, ...this.#guardian.mark };
    const path = variables["PATH"] ?? DEFAULT_PATH;
    const found = await findProgram(program, { path, cwd: process.cwd() });
    this.#guards ??= endWithParent(path);
    const guards = await this.#guards;
    signal.throwIfAborted();
    const group = await ProcessGroup.start({ guards, program: found, args, cwd, env: variables }, this.#guardian);
    const stop = (): void => group.stop(graceMs, "SIGINT");
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    try {
      const { stdout, stderr } = group.outputs;
      const read = Promise.all([eachLine(stdout, onLine), eachLine(stderr, onErrorLine)]);
      read.catch(stop); // its output cannot be handled
      const exit = await group.ended();
      await read;
      return exit;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  #inherited(): Record<string, string> {
    const variables = this.#settings.environment ?? environment();
    const found = INHERITED.flatMap((name) => (variables[name] === undefined ? [] : [[name, variables[name]]]));
    return { PATH: DEFAULT_PATH, ...(Object.fromEntries(found) as Record<string, string>) };
  }
}

async function eachLine(output: Readable, handle: Invocation["onLine"]): Promise<void> {
  for await (const line of createInterface({ input: output, crlfDelay: Infinity })) {
    if (line !== "") await handle(line);
  }
}
