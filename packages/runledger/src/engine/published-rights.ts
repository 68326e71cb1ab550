/**
 * What steps of workflows that were published over HTTP may do on a worker. Whoever may publish is not thereby somebody
 * who may run programs here: that is for whoever runs the worker to say.
 */
import type { ISecretsProvider } from "@runledger/contracts";
import { toldTo, type Task } from "./runners/runner.js";
import { FatalStepError } from "./step-errors.js";

/** Of each: what is named may be used, `true` = anything. Default: nothing. */
export interface PublishedRights {
  /** Programs, as a step names them. Only `true` lets a step say where it runs, and with which variables. */
  readonly command?: true | readonly string[];
  /** Connections of `sql` steps. */
  readonly sql?: true | readonly string[];
  /** Hosts that `http` steps may ask, as in `api.example.com` or `127.0.0.1:8080`, and be sent on to. */
  readonly http?: true | readonly string[];
  /** Names of secrets. */
  readonly secrets?: true | readonly string[];
}

/** The task with what its runner is told already computed, so that what was judged is what is run. */
export async function judged(task: Task, rights: PublishedRights): Promise<Task> {
  const { kind } = task.step;
  if (kind !== "command" && kind !== "sql" && kind !== "http") return task;
  const told = await toldTo<Record<string, unknown>>(task, "run");
  const judgedTask = { ...task, closures: { ...task.closures, options: async () => told } };
  const allowed = rights[kind] ?? [];
  if (allowed === true) return judgedTask;
  if (kind === "http") return { ...judgedTask, mayAsk: ({ host }) => refuse(kind, host, allowed) };
  refuse(kind, subjectOf[kind](told), allowed);
  if (kind === "command") refuseSurroundings(told);
  return judgedTask;
}

const subjectOf = {
  command: ({ run }: Record<string, unknown>) => (run as readonly string[] | undefined)?.[0] ?? "",
  sql: ({ connection }: Record<string, unknown>) => (connection as string | undefined) ?? "default",
} as const;

function refuse(kind: string, subject: string, allowed: readonly string[]): void {
  if (allowed.includes(subject)) return;
  throw new FatalStepError(
    "PUBLISHED_NOT_ALLOWED",
    `This worker does not let workflows that were published over HTTP use ${kind} ${subject}. ` +
      `Name it in the worker's allowPublished.${kind}, or run the workflow from a project.`,
  );
}

/** A program that is allowed becomes another one with the right variables. */
function refuseSurroundings({ env, cwd }: Record<string, unknown>): void {
  if (env === undefined && cwd === undefined) return;
  throw new FatalStepError(
    "PUBLISHED_NOT_ALLOWED",
    "This worker does not let workflows that were published over HTTP set variables or the folder of a command. " +
      "Leave out env and cwd, or set the worker's allowPublished.command to true.",
  );
}

/** Those secrets that may be used; the others are as if there were none. */
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
