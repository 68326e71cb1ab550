import type { ISecretsProvider } from "@runledger/contracts";
import { orAborted } from "./abort.js";
import { realTimers, type Timers } from "./engine-parts.js";
import { allowedSecrets, judged, type PublishedRights } from "./published-rights.js";
import { Redactor } from "./redactor.js";
import { Commands } from "./runners/command.js";
import { runHttp } from "./runners/http.js";
import type { Runner, Task } from "./runners/runner.js";
import { SqlStatements } from "./runners/sql.js";
import { FatalStepError } from "./step-errors.js";
import { noSecrets } from "./step-secrets.js";
import type { StepProgress } from "./step-tools.js";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";

export type { Runner, Task } from "./runners/runner.js";

export interface RunnerOptions {
  /** Runners of kinds of your own. */
  readonly runners?: Readonly<Record<string, Runner>>;
  /** Who resolves the secrets that steps ask for. */
  readonly secrets?: ISecretsProvider;
  /** Databases of `sql` steps by name: `{ warehouse: "postgres://…" }`; `default` is meant where a step names none. */
  readonly connections?: Readonly<Record<string, string>>;
  /** The variables of which a command gets PATH, HOME and LANG. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** How long a command has between SIGTERM and SIGKILL. Default five seconds. */
  readonly commandGraceMs?: number;
  /** What steps of workflows that were published over HTTP may do here. Default: no commands, SQL, requests or secrets. */
  readonly allowPublished?: PublishedRights;
  /** Told of what `ctx.progress` says. */
  readonly onProgress?: (progress: StepProgress) => void;
}

/** What the steps of a worker are run with. */
export class Runners {
  readonly timers: Timers;
  readonly redactor = new Redactor();
  readonly onProgress: (progress: StepProgress) => void;
  readonly #secrets: ISecretsProvider;
  readonly #rights: PublishedRights;
  readonly #commands: Commands;
  readonly #sql: SqlStatements;
  /** Those that stop when they are told to, and are waited for; all others are given up. */
  readonly #obedient: ReadonlyMap<string, Runner>;
  readonly #others: ReadonlyMap<string, Runner>;

  constructor(options: RunnerOptions = {}, timers: Timers = realTimers) {
    const { runners = {}, environment = {}, connections = {}, commandGraceMs = 5000 } = options;
    this.timers = timers;
    this.#secrets = options.secrets ?? noSecrets;
    this.#rights = options.allowPublished ?? {};
    this.onProgress = options.onProgress ?? (() => {});
    this.#commands = new Commands({ environment, graceMs: commandGraceMs, redactor: this.redactor });
    this.#sql = new SqlStatements(connections);
    this.#obedient = new Map(Object.entries({ command: this.#commands.run, sql: this.#sql.run, http: runHttp }));
    this.#others = new Map(Object.entries({ function: runFunction, ...runners }));
  }

  secretsFor({ isPublished = false }: Pick<CompiledWorkflow, "isPublished">): ISecretsProvider {
    return isPublished ? allowedSecrets(this.#secrets, this.#rights) : this.#secrets;
  }

  async run(asked: Task): Promise<unknown> {
    const task = asked.isPublished === true ? await judged(asked, this.#rights) : asked;
    const { kind } = task.step;
    const own = this.#others.get(kind);
    if (own !== undefined) return orAborted(own(task), task.context.signal);
    const runner = this.#obedient.get(kind);
    if (runner !== undefined) return runner(task);
    throw new FatalStepError("NO_RUNNER", `This worker runs no steps of kind ${kind}.`);
  }

  /** Once no step runs any more. */
  async close(): Promise<void> {
    this.#commands.close();
    await this.#sql.close();
  }
}

const runFunction: Runner = async ({ closures, context }) => closures.run?.(context as never);
