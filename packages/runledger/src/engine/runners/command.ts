/** `command`: a program, its arguments as an array, its output line by line in the attempt's log. */
import type { ArtifactRef } from "@runledger/contracts";
import type { Readable } from "node:stream";
import type { Redactor } from "../redactor.js";
import { FatalStepError, StepError } from "../step-errors.js";
import type { StepContext } from "../step-context.js";
import type { TextOrSecret } from "../step-tools.js";
import { checkFolder, findProgram } from "./find-program.js";
import { endWithParent, Guardian } from "./guardian.js";
import { Lines } from "./lines.js";
import { ProcessGroup, type Exit } from "./process-group.js";
import { toldTo, type Runner, type Task } from "./runner.js";
import { resolveSecrets } from "./secret-values.js";

export interface CommandSettings {
  /** The worker's own; a command gets PATH, HOME and LANG of it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  readonly redactor: Redactor;
}

const INHERITED = ["PATH", "HOME", "LANG"];
/** What an error shows of the output; all of it is in the log. */
const LAST_LINES = 20;
const LAST_CHARACTERS = 4000;
const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

export class Commands {
  readonly #settings: CommandSettings;
  readonly #guardian = new Guardian();
  #guards: Promise<readonly string[]> | null = null;

  constructor(settings: CommandSettings) {
    this.#settings = settings;
  }

  readonly run: Runner = async (task) => {
    const group = await this.#start(task);
    const { signal } = task.context;
    const stop = (): void => group.stop(this.#settings.graceMs);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    try {
      const last = new LastLines(LAST_LINES);
      const captured = this.#capture(task, group, last);
      captured.catch(stop); // nobody takes down what it prints
      const exit = await group.ended();
      await captured;
      signal.throwIfAborted();
      return { exitCode: succeeded(exit, last), log: await logOf(task) };
    } finally {
      signal.removeEventListener("abort", stop);
    }
  };

  close(): void {
    this.#guardian.close();
  }

  async #start(task: Task): Promise<ProcessGroup> {
    const { run, cwd = process.cwd(), env = {} } = await toldTo<CommandOptions>(task, "run");
    const [name, ...args] = checkedArguments(run);
    const variables = await this.#environment(task.context, env);
    const program = await findProgram(name, { path: variables["PATH"] ?? "", cwd });
    await checkFolder(cwd);
    this.#guards ??= endWithParent(this.#settings.environment["PATH"] ?? DEFAULT_PATH);
    const guards = await this.#guards;
    task.context.signal.throwIfAborted();
    return ProcessGroup.start({ guards, program, args, cwd, env: variables }, this.#guardian);
  }

  /** Only what is declared, what programs cannot do without, and who they run for. */
  async #environment(
    context: StepContext,
    declared: Readonly<Record<string, TextOrSecret>>,
  ): Promise<Record<string, string>> {
    const { environment } = this.#settings;
    const inherited = INHERITED.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]]));
    return {
      PATH: DEFAULT_PATH,
      ...(Object.fromEntries(inherited) as Record<string, string>),
      ...(await resolveSecrets(declared, context.secrets)),
      RUNLEDGER_RUN_ID: context.runId,
      RUNLEDGER_STEP_ID: context.stepId,
      RUNLEDGER_ATTEMPT: String(context.attempt),
      RUNLEDGER_IDEMPOTENCY_KEY: context.idempotencyKey,
      RUNLEDGER_ATTEMPT_KEY: context.attemptKey,
      ...this.#guardian.mark,
    };
  }

  async #capture(task: Task, { outputs }: ProcessGroup, last: LastLines): Promise<void> {
    const capture = async (from: "stdout" | "stderr", output: Readable): Promise<void> => {
      const lines = new Lines(this.#settings.redactor.textStream());
      const add = (found: readonly string[]): void => {
        for (const line of found) task.log.add(from, line);
        last.add(found);
      };
      for await (const bytes of untilDropped(output)) {
        add(lines.push(bytes));
        await task.log.ready();
      }
      add(lines.end());
    };
    await Promise.all([capture("stdout", outputs.stdout), capture("stderr", outputs.stderr)]);
  }
}

interface CommandOptions {
  readonly run: unknown;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, TextOrSecret>>;
}

function checkedArguments(run: unknown): [string, ...string[]] {
  const isList = Array.isArray(run) && run.length > 0 && run.every((part) => typeof part === "string");
  if (isList && run.every((part: string) => !part.includes("\0"))) return run as [string, ...string[]];
  throw new FatalStepError("COMMAND_INVALID", "run must be an array of text: the program, then its arguments.");
}

function succeeded({ code, signal }: Exit, last: LastLines): number {
  if (code === 0) return code;
  const how = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
  throw new StepError("COMMAND_FAILED", `The command ${how}.\n${last.lines.join("\n").slice(-LAST_CHARACTERS)}`);
}

/** The log is a part of the output, also of a command that said nothing. */
async function logOf({ log }: Task): Promise<ArtifactRef> {
  return (await log.end({ always: true }))!;
}

/** A stream that was dropped before its end ends here too. */
async function* untilDropped(output: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const bytes of output) yield bytes as Buffer;
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  }
}

class LastLines {
  readonly #most: number;
  lines: readonly string[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  add(lines: readonly string[]): void {
    this.lines = [...this.lines, ...lines.slice(-this.#most)].slice(-this.#most);
  }
}
