/**
 * Permissions of workflows that were published over HTTP. Permission to publish does not include permission to run programs
 * on a worker: the worker's operator grants that.
 */
import type { ISecretsProvider } from "@runledger/contracts";
import { readOptions, type BuiltInTask } from "./runners/runner.js";
import { cut } from "../workflow/cut.js";
import { FatalStepError } from "../workflow/step-errors.js";

/** Each list names what steps may use; `true` allows everything. Default: nothing. */
export interface PublishedRights {
  /**
   * Programs, by the name a step uses. A name allows the program without arguments. A list is a pattern of the whole command:
   * `["dbt", "run", "*"]`. `*` stands for one argument that does not start with `-`, and `**` at the end for any arguments. Only
   * `true` lets a step set its folder and environment.
   */
  readonly command?: true | readonly (string | readonly string[])[];
  /** Connections of `sql` steps. */
  readonly sql?: true | readonly string[];
  /** Hosts that `http` steps may call or be redirected to, such as `api.example.com` or `127.0.0.1:8080`. */
  readonly http?: true | readonly string[];
  /** Names of secrets. */
  readonly secrets?: true | readonly string[];
}

/** The task with its settings already computed, so that the checked settings are the ones that run. */
export async function checkRights(task: BuiltInTask, rights: PublishedRights): Promise<BuiltInTask> {
  const { kind } = task.step;
  if (kind !== "command" && kind !== "sql" && kind !== "http") return task;
  const told = await readOptions<Record<string, unknown>>(task, "run");
  const judgedTask = { ...task, closures: { ...task.closures, options: async () => told } };
  const allowed = rights[kind] ?? [];
  if (allowed === true) return judgedTask;
  if (kind === "command") return refuseCommand(judgedTask, told, allowed);
  const names = allowed as readonly string[];
  if (kind === "http") return { ...judgedTask, checkUrl: ({ host }) => refuseUnless(names.includes(host), kind, host) };
  const { connection = "default" } = told as { readonly connection?: string };
  refuseUnless(names.includes(connection), kind, connection);
  return judgedTask;
}

function refuseCommand(
  task: BuiltInTask,
  told: Record<string, unknown>,
  allowed: NonNullable<Exclude<PublishedRights["command"], true>>,
): BuiltInTask {
  const run = (told["run"] ?? []) as readonly string[];
  const isAllowed = allowed.some((entry) => matches(run, typeof entry === "string" ? [entry] : entry));
  refuseUnless(isAllowed, "command", cut(run.join(" "), 200));
  refuseSurroundings(told);
  return task;
}

/** Arguments select what many programs do, and some select another program. */
function matches(command: readonly string[], pattern: readonly string[]): boolean {
  const isOpen = pattern.length > 1 && pattern.at(-1) === "**";
  const parts = isOpen ? pattern.slice(0, -1) : pattern;
  if (command.length < parts.length || (!isOpen && command.length > parts.length)) return false;
  return parts.every((part, place) => {
    const argument = command[place]!;
    return part === argument || (part === "*" && place > 0 && !argument.startsWith("-"));
  });
}

function refuseUnless(isAllowed: boolean, kind: string, subject: string): void {
  if (isAllowed) return;
  throw new FatalStepError(
    "PUBLISHED_NOT_ALLOWED",
    `This worker does not let workflows that were published over HTTP use ${kind} ${subject}. ` +
      `Name it in the worker's allowPublished.${kind}, or run the workflow from a project.`,
  );
}

/** Refuses variables: with the right ones, an allowed program becomes another program. */
function refuseSurroundings({ env, cwd }: Record<string, unknown>): void {
  if (env === undefined && cwd === undefined) return;
  throw new FatalStepError(
    "PUBLISHED_NOT_ALLOWED",
    "This worker does not let workflows that were published over HTTP set variables or the folder of a command. " +
      "Leave out env and cwd, or set the worker's allowPublished.command to true.",
  );
}

/** Exposes only the allowed secrets; others appear as missing. */
export function allowedSecrets(provider: ISecretsProvider, { secrets = [] }: PublishedRights): ISecretsProvider {
  if (secrets === true) return provider;
  return {
    resolve: (wanted, whose) =>
      provider.resolve(
        wanted.filter(({ name }) => secrets.includes(name)),
        whose,
      ),
  };
}
