/** `command`: runs a program with an array of arguments and writes its output to the attempt's log. */
import type { ArtifactRef } from "@runledger/contracts";
import type { Readable } from "node:stream";
import type { Redactor } from "../redactor.js";
import { FatalStepError, StepError } from "../../workflow/step-errors.js";
import { checkFolder, findProgram } from "./find-program.js";
import { endWithParent, Guardian } from "./guardian.js";
import { Lines } from "./lines.js";
import { ProcessGroup, type Exit } from "./process-group.js";
import { readOptions, type BuiltInRunner, type BuiltInTask } from "./runner.js";
import { resolveSecrets } from "./secret-values.js";

export interface CommandSettings {
  /** The worker's environment; a command inherits PATH, HOME and LANG. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Time between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  readonly redactor: Redactor;
}

const INHERITED = ["PATH", "HOME", "LANG"];
/** Characters of output in an error. The log has all of it. */
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

  readonly run: BuiltInRunner = async (task) => {
    const group = await this.#start(task);
    const { signal } = task.context;
    const stop = (): void => group.stop(this.#settings.graceMs);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    try {
      const last = new LastLines(LAST_LINES);
      const captured = this.#capture(task, group, last);
      captured.catch(stop); // the output is not stored
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

  async #start(task: BuiltInTask): Promise<ProcessGroup> {
    const { run, cwd = process.cwd(), env = {} } = await readOptions<CommandOptions>(task, "run");
    const [name, ...args] = checkedArguments(run);
    const variables = await this.#environment(task, env);
    const program = await findProgram(name, { path: variables["PATH"] ?? "", cwd });
    await checkFolder(cwd);
    this.#guards ??= endWithParent(this.#settings.environment["PATH"] ?? DEFAULT_PATH);
    const guards = await this.#guards;
    task.context.signal.throwIfAborted();
    return ProcessGroup.start({ guards, program, args, cwd, env: variables }, this.#guardian);
  }

  /** Declared variables, the basics that programs need, the trace, and the ids of the run and step. */
  async #environment(
    { context, trace }: BuiltInTask,
    declared: Readonly<Record<string, unknown>>,
  ): Promise<Record<string, string>> {
    const { environment } = this.#settings;
    const inherited = INHERITED.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]]));
    return {
      PATH: DEFAULT_PATH,
      ...(trace && { TRACEPARENT: trace.traceparent }),
      ...(trace?.tracestate !== undefined && { TRACESTATE: trace.tracestate }),
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

  async #capture(task: BuiltInTask, { outputs }: ProcessGroup, last: LastLines): Promise<void> {
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
  readonly env?: Readonly<Record<string, unknown>>;
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

/** The output always refers to the log, even if the command printed nothing. */
async function logOf({ log }: BuiltInTask): Promise<ArtifactRef> {
  return (await log.end({ always: true }))!;
}

/** Resolves when the stream ends or is closed early. */
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
