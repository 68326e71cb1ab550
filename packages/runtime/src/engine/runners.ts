import {
  MIN_SECRET_LENGTH,
  omitUndefined,
  type ISecretsProvider,
  type JsonObject,
  type StepOutput,
} from "@runledger/contracts";
import { raceAbort } from "./abort.js";
import { realTimers, type Timers } from "../time/timers.js";
import { allowedSecrets, checkRights, type PublishedRights } from "./published-rights.js";
import { Redactor } from "./redactor.js";
import { Commands } from "./runners/command.js";
import { runHttp } from "./runners/http.js";
import { readOptions, type BuiltInRunner, type BuiltInTask, type Runner } from "./runners/runner.js";
import { SqlStatements } from "./runners/sql.js";
import { addProcessRedactor } from "../telemetry/process-redactors.js";
import { FatalStepError } from "../workflow/step-errors.js";
import { succeeded, toStepOutput } from "./step-output.js";
import { noSecrets } from "./step-secrets.js";
import { tenantSecrets } from "./tenant-secrets.js";
import type { StepProgress } from "../workflow/step-tools.js";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";

export type { InnerSteps, Runner, Task } from "./runners/runner.js";

export interface RunnerOptions {
  /** Runners of kinds of your own, by kind. */
  readonly runners?: Readonly<Record<string, Runner>>;
  /** Resolves the secrets that steps use. */
  readonly secrets?: ISecretsProvider;
  /** Databases of `sql` steps by name: `{ warehouse: "postgres://…" }`. A step that names none uses `default`. */
  readonly connections?: Readonly<Record<string, string>>;
  /** Secrets and connections that only the runs of a tenant can use, by tenant. They come before the shared ones. */
  readonly perTenant?: Readonly<Record<string, TenantSettings>>;
  /** Environment variables of the worker. Commands get `PATH`, `HOME` and `LANG` of them. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Time between SIGTERM and SIGKILL when a command is stopped. Default five seconds. */
  readonly commandGraceMs?: number;
  /** Rights of workflows that were published over HTTP. Default: no commands, SQL, requests or secrets. */
  readonly allowPublished?: PublishedRights;
  /** Receives what steps report with `ctx.progress`. */
  readonly onProgress?: (progress: StepProgress) => void;
}

/** The secrets and connections of one tenant. */
export interface TenantSettings {
  readonly secrets?: ISecretsProvider;
  readonly connections?: Readonly<Record<string, string>>;
}

/** Runs the steps of a worker. */
export class Runners {
  readonly timers: Timers;
  readonly redactor = new Redactor();
  readonly #removeRedactor = addProcessRedactor(this.redactor);
  readonly onProgress: (progress: StepProgress) => void;
  readonly #secrets: ISecretsProvider;
  readonly #rights: PublishedRights;
  readonly #commands: Commands;
  readonly #sql: SqlStatements;
  readonly #own: ReadonlyMap<string, Runner>;
  /** Built-in runners that stop when they are aborted. The worker waits for them. */
  readonly #abortable: ReadonlyMap<string, BuiltInRunner>;

  constructor(options: RunnerOptions = {}, timers: Timers = realTimers) {
    const { runners = {}, environment = {}, connections = {}, commandGraceMs = 5000 } = options;
    this.timers = timers;
    const perTenant = Object.entries(options.perTenant ?? {});
    const own = perTenant.flatMap(([tenantId, { secrets }]) =>
      secrets === undefined ? [] : [[tenantId, secrets] as const],
    );
    this.#secrets = tenantSecrets(options.secrets ?? noSecrets, new Map(own));
    this.#redactKnown(connections);
    for (const [, settings] of perTenant) this.#redactKnown(settings.connections ?? {});
    this.#rights = options.allowPublished ?? {};
    this.onProgress = options.onProgress ?? (() => {});
    this.#commands = new Commands({ environment, graceMs: commandGraceMs, redactor: this.redactor });
    this.#sql = new SqlStatements(
      connections,
      new Map(perTenant.map(([tenantId, settings]) => [tenantId, settings.connections ?? {}])),
    );
    this.#own = new Map(Object.entries(runners));
    this.#abortable = new Map(Object.entries({ command: this.#commands.run, sql: this.#sql.run, http: runHttp }));
  }

  /** Redacts secrets that no step has resolved yet: a command may find them elsewhere (S1). */
  #redactKnown(connections: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(this.#secrets.known?.() ?? {}))
      this.redactor.add(name, value, { isGuess: true });
    for (const [name, url] of Object.entries(connections)) {
      const password = URL.canParse(url) ? decodeURIComponent(new URL(url).password) : "";
      if (password.length >= MIN_SECRET_LENGTH) this.redactor.add(`connection ${name}`, password, { isGuess: true });
    }
  }

  secretsFor({ isPublished = false }: Pick<CompiledWorkflow, "isPublished">): ISecretsProvider {
    return isPublished ? allowedSecrets(this.#secrets, this.#rights) : this.#secrets;
  }

  /** Runs one attempt. A runner that throws has failed; all others return a result (D10). */
  async run(unchecked: BuiltInTask): Promise<StepOutput> {
    const task = unchecked.isPublished === true ? await checkRights(unchecked, this.#rights) : unchecked;
    const { step, context } = task;
    const own = this.#own.get(step.kind);
    if (own?.stopsOnAbort === true) return toStepOutput(await runOwn(own, task));
    if (own !== undefined) return toStepOutput(await raceAbort(runOwn(own, task), context.signal));
    if (step.kind === "function") return succeeded(await raceAbort(runFunction(task), context.signal));
    const runner = this.#abortable.get(step.kind);
    if (runner !== undefined) return succeeded(await runner(task));
    throw new FatalStepError(
      "NO_RUNNER",
      `This worker has no runner for steps of kind ${step.kind}. Add one to the worker's runners.`,
    );
  }

  /** Call this after all steps have finished. */
  async close(): Promise<void> {
    this.#removeRedactor();
    this.#commands.close();
    await this.#sql.close();
  }
}

const runFunction: BuiltInRunner = async ({ closures, context }) => closures.run?.(context as never);

/** The option that an array stands for, by kind. */
const MAIN_OPTION: Readonly<Record<string, string>> = { command: "run", sql: "params" };

async function runOwn(runner: Runner, task: BuiltInTask): Promise<unknown> {
  const { step, context, inner } = task;
  const options = await readOptions<JsonObject>(task, MAIN_OPTION[step.kind] ?? "with");
  return runner({ step, context, options, ...omitUndefined({ inner }) });
}
